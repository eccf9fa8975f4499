import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { csv, header, line } from './csv.ts';

/** An export with every kind of campaign. */
const exported = [
  header,
  '1,"Sum, ""mer"" \\N",7,true,2026-11-20T15:36:00.123456Z,9,"https://b\u00fccher.example/{id}?a=""x"",b|[c]",12,true,2026-11-20T15:36:00.000001Z,2026-11-20T15:36:00.000000Z,2026-11-20T15:36:00.000001Z',
  '3,,7,false,2026-11-20T15:36:00.100000Z,,,,,,,',
  '9007199254740991,\u{1f389},9007199254740991,false,0001-01-01T00:00:00.000000Z,2,HTTPS://Example.com:443/../%7e,0,false,,0001-01-01T00:00:00.000000Z,2026-11-20T15:36:00.999999Z',
  '',
].join('\r\n');

describe('import and export: a file of campaigns is taken over whole, byte for byte, or not at all', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const folder = folderOf('test');
  const { at } = folder;
  const importing = (input: string | Buffer, ...args: string[]) =>
    command(['import', '-', ...args], on.settings, input);

  it('an imported export is exported byte for byte, and the audit has the import', async () => {
    await database.admin.query(`alter database ${database.name} set timezone = 'America/St_Johns'`);
    await database.admin.query(`alter database ${database.name} set datestyle = 'SQL, DMY'`);
    await writeFile(at('first.csv'), exported);
    expect(await on.object('import', at('first.csv'))).to.deep.equal({ campaigns: 3, mirrors: 2 });
    expect(await on.run('export')).to.deep.equal(answered(exported));
    const done = await on.run('export', at('second.csv'));
    expect(done).to.deep.equal(answered(`3 campaigns were exported to ${at('second.csv')}.\n`));
    expect(await readFile(at('second.csv'), 'utf8')).to.equal(exported);
    expect((await stat(at('second.csv'))).mode & 0o777).to.equal(0o600);
    expect(await readdir(folder.path)).to.have.members(['first.csv', 'second.csv']);
    const entries = (await on.objects('audit')).map(({ act, details }) => [act, details]);
    expect(entries).to.deep.equal([
      ['mirrors-imported', { mirrors: 2, numbers: '1,9007199254740991', source: 'first.csv' }],
      ['campaigns-imported', { campaigns: 3, numbers: '1,3,9007199254740991', source: 'first.csv' }],
    ]);
  });

  it('reads what a spreadsheet writes: UTF-16, other separators, headings in any order', async () => {
    const headings =
      'Mirror Updated At;mirror-created-at;UPDATED_EXTERNALLY_AT;"updated externally";Clicks;Target URL;' +
      'MirrorId;Created at;IS_DEFAULT;Owner ID;name; campaign id ;';
    for (const [at, separator] of [',', ';', '\t'].entries()) {
      const lines = `${headings}\r\n;;;;;;;;;;;;\r\n;;;;;;;;TRUE;"${10 + at}";"Mi;ne";;\r\n\r\n;;;;;https://a.example/,|;;;;20;;;\r\n`;
      const quoted = lines.replace('https://a.example/,|', '"https://a.example/,|"');
      const text = `\ufeffsep=${separator}\r\n;;\r\n${quoted}`.replace(/;(?!ne)/g, separator);
      const input = Buffer.from(text, separator === '\t' ? 'utf16le' : 'utf8');
      const again = at === 0 ? [] : ['--allow-duplicates'];
      expect(await importing(input, ...again)).to.deep.equal(answered('Imported: 2 campaigns, 1 mirror.\n'));
      const [mine, others] = (await on.objects('export')).slice(-2);
      expect(mine).to.include({ owner_id: 10 + at, is_default: true, name: 'Mi;ne', target_url: null });
      const address = 'https://a.example/,|';
      expect(others).to.include({ owner_id: 20, is_default: false, name: null, target_url: address });
    }
  });

  it('names every invalid line with its number and fault, and imports nothing', async () => {
    const mirror = { mirror_id: '70', target_url: 'https://a.example/' };
    const first = line({ id: '1', owner_id: '7', is_default: 'true', name: 'First', ...mirror });
    expect((await importing(csv(first))).code).to.equal(0);
    const bad = [
      line({ id: '50', owner_id: '1', is_default: 'true', ...mirror, mirror_id: '71' }),
      line({ id: '50', owner_id: '1', is_default: 'true', ...mirror, mirror_id: '71' }),
      line({ id: '1', owner_id: '7', ...mirror }),
      '',
      line({ owner_id: '7', is_default: 'true' }),
      line({ owner_id: '3', name: '"two\nlines"' }),
      line({ owner_id: '3', name: '5" wide' }),
      `${line({ owner_id: '2' })},`,
      line({ owner_id: '1', name: 'x'.repeat(500_000) }),
      line({ owner_id: '3', target_url: 'https://go.example/' }),
      line({ owner_id: '"1,00E+05"', clicks: '1.5', created_at: '20.11.2026 15:36', ...mirror }),
      `${line({ owner_id: '2' }).replace(/,$/, '')}`,
      line({ owner_id: '3', ...mirror, mirror_id: '72', mirror_created_at: '2999-01-01T00:00:00.000000Z' }),
    ];
    const input = csv(...bad);
    const settings = { ...on.settings, MIRROR_HOST_DENYLIST: 'go.example' };
    const { code, output, errors } = await command(['import', '-'], settings, input);
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(errors.split('\n').map((one) => one.slice(0, 60).trim())).to.deep.equal(
      [
        'line 3: id: campaign 50 is already in line 2',
        'line 3: is_default: default campaign of owner 1 is already i',
        'line 3: mirror_id: mirror 71 is already in line 2',
        'line 4: id: campaign 1 already exists',
        'line 4: mirror_id: mirror 70 already exists',
        'line 6: is_default: default campaign of owner 7 already exis',
        'line 7: name: it is "two\\nlines", and must be a name on one l',
        'line 9: a quotation mark is in the wrong place, or not close',
        'line 10: the line has 13 fields, but the header has 12: quot',
        `line 11: name: it is "${'x'.repeat(38)}`,
        'line 12: target_url: it must not point to this host, which t',
        'line 13: owner_id: it is "1,00E+05", and must be a whole numb',
        'line 13: created_at: it is "20.11.2026 15:36", and must be a',
        'line 13: clicks: it is "1.5", and must be a whole number from',
        'line 14: the line has 11 fields, but the header has 12: Exce',
        'line 15: mirror_created_at: it is more than an hour ahead of',
        'nothing was imported, since 11 lines are invalid: fix the fi',
        '',
      ].map((one) => one.slice(0, 60).trim()),
    );
    expect(await on.objects('campaign', 'list')).to.have.length(1);
  });

  it('says what is wrong with a file that is not CSV, or whose header lacks or repeats a column', async () => {
    const notText = 'standard input is not in UTF-8: save it as “CSV UTF-8” (PowerShell: -Encoding utf8)\n';
    expect(await importing(Buffer.from('owner_id,name\n7,\xff\n', 'latin1'))).to.deep.equal(refused(notText));
    for (const [text, fault] of [
      ['\n', 'the file is empty: its first line must name the columns'],
      [
        'sep=;\n\nid;Besitzer',
        'line 3: it lacks the column owner_id. The first line must name owner_id, and may',
      ],
      [`${header},Campaign ID`, 'line 1: it names the column id twice. '],
      [
        'owner id;Hits, all;',
        'line 1: it has unknown columns, which --ignore-columns leaves out: "Hits, all". ',
      ],
    ] as const) {
      const { code, errors } = await importing(text);
      expect([code, errors.slice(0, fault.length)]).to.deep.equal([1, fault]);
    }
    expect(await importing('owner id;Hits, all;;"a;b"\n7;1,5;x;\n', '--ignore-columns')).to.deep.equal(
      answered('Imported: 1 campaign, 0 mirrors.\n', 'Left out: the columns "Hits, all", "a;b".\n'),
    );
  });

  it('new campaigns and mirrors get numbers above the imported ones', async () => {
    const numbers: [imported: string, next: number][] = [
      ['9007199254740991', 1],
      ['5000', 5001],
      ['300', 5002],
    ];
    for (const [id, next] of numbers) {
      const given = { id, mirror_id: id, owner_id: '7', target_url: 'https://a.example/' };
      expect((await importing(csv(line(given)))).code).to.equal(0);
      expect(await on.object('campaign create --owner 9')).to.deep.equal({ id: next });
      const { mirror } = await on.object(`mirror create ${next} --target-url https://a.example/`);
      expect(mirror.id).to.equal(next);
    }
  });

  it('refuses a line without an id that duplicates another or a campaign; --dry-run imports nothing', async () => {
    const summer = { owner_id: '7', name: 'Summer' };
    const unnamed = { owner_id: '8', target_url: 'https://a.example/' };
    const remedy = 'give the line its id, leave it out, or add --allow-duplicates';
    const twice = await importing(csv(...[summer, { ...summer, id: '9' }, summer].map(line)));
    expect(twice.code).to.equal(1);
    const fault = `line 4: name: campaign "Summer" of owner 7 is already in line 2: ${remedy}\n`;
    expect(twice.errors).to.include(fault);
    await importing(csv(line(summer), line(unnamed)));
    const again = csv(...[summer, unnamed, { owner_id: '7' }].map(line));
    for (const how of [[], ['--dry-run']]) {
      const { code, errors } = await importing(again, ...how);
      expect(code).to.equal(1);
      expect(errors)
        .to.include('line 2: name: campaign "Summer" of owner 7 already exists, with the id 1: ')
        .and.include('line 3: target_url: campaign of owner 8 with the address https://a.example/');
    }
    const would = 'Every line is valid; this would be imported: 3 campaigns, 1 mirror.\n';
    expect(await importing(again, '--dry-run', '--allow-duplicates')).to.deep.equal(answered(would));
    const count = async () => (await on.objects('campaign list')).length;
    expect(await count()).to.equal(2);
    expect((await importing(again, '--allow-duplicates')).code).to.equal(0);
    expect(await count()).to.equal(5);
  });

  it('export replaces an existing file with --force only, and never a device', async () => {
    await writeFile(at('mine.csv'), 'mine');
    const errors = `${at('mine.csv')} exists: --force replaces it, or name another file\n`;
    expect(await on.run('export', at('mine.csv'))).to.deep.equal(refused(errors));
    expect(await readFile(at('mine.csv'), 'utf8')).to.equal('mine');
    expect((await on.run('export', at('mine.csv'), '--force')).code).to.equal(0);
    expect(await readFile(at('mine.csv'), 'utf8')).to.equal(`${header}\r\n`);
    await symlink('/dev/null', at('device'));
    await on.session(`
      $ export ${at('device')} --force
      ! ${at('device')} is not a file: name another one`);
    expect(await on.run('export', '-')).to.deep.equal(answered(`${header}\r\n`));
    expect(await readdir(folder.path)).to.have.members(['mine.csv', 'device']);
  });
});
