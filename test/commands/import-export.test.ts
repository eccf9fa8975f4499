import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answered, command, refused } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { csv, header, line } from './csv.ts';

/** Every kind of campaign, as `export` writes it. */
const exported = [
  header,
  '1,"Sum, ""mer"" \\N",7,true,2026-11-20T15:36:00.123456Z,9,"https://b\u00fccher.example/{id}?a=""x"",b|[c]",12,true,2026-11-20T15:36:00.000001Z,2026-11-20T15:36:00.000000Z,2026-11-20T15:36:00.000001Z',
  '3,,7,false,2026-11-20T15:36:00.100000Z,,,,,,,',
  '9007199254740991,\u{1f389},9007199254740991,false,0001-01-01T00:00:00.000000Z,2,HTTPS://Example.com:443/../%7e,0,false,,0001-01-01T00:00:00.000000Z,2026-11-20T15:36:00.999999Z',
  '',
].join('\r\n');

describe('import and export', () => {
  const database = databaseOf('test');
  const on = commandsOn(database);
  const folder = folderOf('test');
  const { at } = folder;
  const importing = (input: string | Buffer, ...args: string[]) =>
    command(['import', '-', ...args], on.settings, input);
  const created = async (): Promise<number> => (await on.object('campaign', 'create', '--owner', '9')).id;

  it('what was exported and imported is exported again byte for byte, and the audit has it', async () => {
    // However the sessions of the database write their values.
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
    const [first, second] = await on.objects('export');
    expect(Object.keys(first).join(',')).to.equal(header);
    expect(first).to.include({ id: 1, name: 'Sum, "mer" \\N', is_default: true, clicks: 12 });
    expect(second).to.include({ id: 3, name: null, mirror_id: null, target_url: null, clicks: null });
  });

  it('a time that lies more than an hour ahead makes an invalid line, in whichever column', async () => {
    const columns = ['created_at', 'mirror_created_at', 'mirror_updated_at', 'updated_externally_at'];
    const hours = (count: number) =>
      new Date(Date.now() + count * 3_600_000).toISOString().replace('Z', '000Z');
    const mirror = { owner_id: '7', target_url: 'https://a.example/', updated_externally: 'true' };
    const past = '2026-11-20T15:36:00.000000Z';
    const lines = (time: string) =>
      columns.map((column) => line({ ...mirror, updated_externally_at: past, [column]: time }));
    const told = columns.map(
      (column, at) =>
        `line ${at + 2}: ${column}: it is more than an hour ahead of the clock of the database\n`,
    );
    for (const time of [hours(1.1), '9999-12-31T23:59:59.999999Z']) {
      const { code, errors } = await importing(csv(...lines(time)), '--allow-duplicates');
      expect([code, errors.startsWith(told.join(''))], errors).to.deep.equal([1, true]);
    }
    expect(await importing(csv(...lines(hours(0.9))), '--allow-duplicates')).to.include({ code: 0 });
    const now = new Date(Date.now() + 60_000).toISOString();
    for (const stored of await on.objects('export'))
      for (const column of columns) expect(stored[column] < now, column).to.equal(true);
  });

  it('takes what a spreadsheet writes: a byte order mark, UTF-16 (“Unicode text”), sep=, another separator, order and form of headings, TRUE, empty lines', async () => {
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

  it('every invalid line is told with its number and why, in their order, and nothing is imported', async () => {
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
      line({ owner_id: '3', name: '6" wide' }),
      `${line({ owner_id: '2' })},`,
      line({ id: '50', owner_id: 'x' }),
      line({ owner_id: '1', name: 'x'.repeat(500_000) }),
      line({ owner_id: '3', target_url: 'https://go.example/' }),
      line({ owner_id: '"1,00E+05"', clicks: '1.5', created_at: '20.11.2026 15:36', ...mirror }),
      `${line({ owner_id: '2' }).replace(/,$/, '')}`,
    ];
    const input = csv(...bad);
    const settings = { ...on.settings, MIRROR_HOST_DENYLIST: 'go.example' };
    const { code, output, errors } = await command(['import', '-'], settings, input);
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    const inDigits = 'to 9007199254740991, in digits alone';
    const quotation =
      'a quotation mark is in the wrong place, or not closed: quote the whole field, and double the quotation mark in it';
    expect(errors.split('\n')).to.deep.equal([
      'line 3: id: campaign 50 is already in line 2',
      'line 3: is_default: default campaign of the owner 1 is already in line 2',
      'line 3: mirror_id: mirror 71 is already in line 2',
      'line 4: id: campaign 1 already exists',
      'line 4: mirror_id: mirror 70 already exists',
      'line 6: is_default: default campaign of the owner 7 already exists',
      'line 7: name: it is "two\\nlines", and must be a name on one line, of 1 to 200 characters',
      `line 9: ${quotation}`,
      `line 10: ${quotation}`,
      'line 11: the line has 13 fields, but the header has 12: quote a field that contains the separator',
      `line 12: owner_id: it is "x", and must be a whole number from 1 ${inDigits}`,
      `line 13: name: it is "${'x'.repeat(50)}…", and must be a name on one line, of 1 to 200 characters`,
      'line 14: target_url: it must not point to this host, which the host denylist contains',
      `line 15: owner_id: it is "1,00E+05", and must be a whole number from 1 ${inDigits}`,
      'line 15: created_at: it is "20.11.2026 15:36", and must be a time such as 2026-11-20T15:36:00.123456Z, which a spreadsheet keeps in a column of text',
      `line 15: clicks: it is "1.5", and must be a whole number from 0 ${inDigits}`,
      'line 16: the line has 11 fields, but the header has 12: Excel leaves out last columns that are empty: put one last that is filled in each line',
      'nothing was imported, since 12 lines are invalid: fix the file, and import it again; `./campaign-mirror mirror set --file` changes campaigns that are there',
      '',
    ]);
    expect(await on.objects('campaign', 'list')).to.have.length(1);
    // As on Windows, also in a cell of two lines; without the mark that says which UTF-16 it is.
    const wide = Buffer.from(input.replaceAll('\n', '\r\n'), 'utf16le');
    expect(await command(['import', '-'], settings, wide)).to.include({ code: 1, errors });

    const inJson = await command(['import', '-', '--json'], settings, input);
    const taken = { line: 4, column: 'id', fault: 'campaign-taken', reason: 'campaign 1 already exists' };
    expect(objectsOf(inJson.output)[3]).to.deep.equal(taken);
    const unread = { line: 9, column: null, fault: 'invalid', reason: quotation };
    expect(objectsOf(inJson.output)[7]).to.deep.equal(unread);
    expect(inJson).to.include({ code: 1, errors: `${errors.split('\n').at(-2)}\n` });
  });

  it('a file that is not CSV, or whose header is not ours, is said to be so, with what to do', async () => {
    const notText = 'standard input is not in UTF-8: save it as “CSV UTF-8” (PowerShell: -Encoding utf8)\n';
    for (const bytes of [
      Buffer.from('PK\x03\x04\x14\0\xff\0', 'latin1'),
      Buffer.from('owner_id,name\n7,\xff\n', 'latin1'),
    ])
      expect(await importing(bytes)).to.deep.equal(refused(notText));
    expect(await importing('\n')).to.deep.equal(
      refused('the file is empty: its first line must name the columns\n'),
    );
    const rule = `. The first line must name owner_id, and may name, in any order: ${header}; commas, semicolons or tabs separate them\n`;
    for (const [text, fault] of [
      [header.replaceAll(',', '|'), 'it lacks the column owner_id'],
      ['sep=;\n\nid;Besitzer', 'it lacks the column owner_id'],
      [`${header},Campaign ID`, 'it names the column id twice'],
      [
        'owner id;Hits, all;;"a;b"',
        'it has unknown columns, which --ignore-columns leaves out: "Hits, all", "a;b"',
      ],
    ] as const)
      expect(await importing(text)).to.deep.equal(
        refused(`line ${text.split('\n').length}: ${fault}${rule}`),
      );
    const text = 'owner id;Hits, all;;"a;b"\n7;1,5;x;\n';
    expect(await importing(text, '--ignore-columns')).to.deep.equal({
      code: 0,
      output: 'Imported: 1 campaign, 0 mirrors.\n',
      errors: 'Left out: the columns "Hits, all", "a;b".\n',
    });
  });

  it('numbers go on beyond those of the file, and never go back; after the greatest there are some left', async () => {
    const numbers: [imported: string, next: number][] = [
      ['9007199254740991', 1],
      ['5000', 5001],
      ['300', 5002],
      ['9000000000000001', 9000000000000002],
    ];
    for (const [id, next] of numbers) {
      const given = { id, mirror_id: id, owner_id: '7', target_url: 'https://a.example/' };
      expect((await importing(csv(line(given)))).code).to.equal(0);
      expect(await created()).to.equal(next);
      const words = ['mirror', 'create', `${next}`, '--target-url', 'https://a.example/'];
      expect((await on.object(...words)).mirror.id).to.equal(next);
    }
  });

  it('lines without an id that are there already are refused, and --dry-run says so and changes nothing', async () => {
    const summer = { owner_id: '7', name: 'Summer' };
    const unnamed = { owner_id: '8', target_url: 'https://a.example/' };
    const twice = csv(
      ...[summer, unnamed, summer, { ...summer, id: '9' }, unnamed, {}].map((one) =>
        line({ owner_id: '8', ...one }),
      ),
    );
    const earlier = 'give the line its id, leave it out, or add --allow-duplicates';
    expect(await importing(twice)).to.deep.equal(
      refused(
        `line 4: name: campaign "Summer" of the owner 7 is already in line 2: ${earlier}\n` +
          `line 6: target_url: campaign of the owner 8 with the address https://a.example/ is already in line 3: ${earlier}\n` +
          'nothing was imported, since 2 lines are invalid: fix the file, and import it again\n',
      ),
    );
    await importing(csv(line(summer), line(unnamed)));
    const others = [{ owner_id: '7' }, { owner_id: '9', name: 'Summer' }, { ...summer, id: '500' }];
    const again = csv(...[summer, unnamed, ...others].map(line));
    const remedy = 'give the line its id, leave it out, or add --allow-duplicates';
    const named = `campaign "Summer" of the owner 7 already exists, with the id 1: ${remedy}`;
    const pointed = `campaign of the owner 8 with the address https://a.example/ already exists, with the id 2: ${remedy}`;
    const told = `line 2: name: ${named}\nline 3: target_url: ${pointed}\n`;
    const count = async () => (await on.objects('campaign list')).length;
    const faults = [
      { line: 2, column: 'name', fault: 'duplicate', reason: named },
      { line: 3, column: 'target_url', fault: 'duplicate', reason: pointed },
    ];
    for (const how of [[], ['--dry-run']]) {
      const end = 'nothing was imported, since 2 lines are invalid: fix the file, and import it again\n';
      expect(await importing(again, ...how)).to.deep.equal(refused(`${told}${end}`));
      const { code, output, errors } = await importing(again, ...how, '--json');
      expect([code, errors, objectsOf(output)]).to.deep.equal([1, end, faults]);
    }
    const would = 'Every line is valid; this would be imported: 5 campaigns, 1 mirror.\n';
    expect(await importing(again, '--dry-run', '--allow-duplicates')).to.deep.equal(answered(would));
    expect(await count()).to.equal(2);
    expect((await importing(again, '--allow-duplicates')).code).to.equal(0);
    expect(await count()).to.equal(7);
  });

  it('a file that is there is written over with --force only, and what is no file never', async () => {
    await writeFile(at('mine.csv'), 'mine');
    const errors = `${at('mine.csv')} exists already: --force replaces it, or name another file\n`;
    expect(await on.run('export', at('mine.csv'))).to.deep.equal(refused(errors));
    expect(await readFile(at('mine.csv'), 'utf8')).to.equal('mine');
    expect((await on.run('export', at('mine.csv'), '--force')).code).to.equal(0);
    expect(await readFile(at('mine.csv'), 'utf8')).to.equal(`${header}\r\n`);
    await symlink('/dev/null', at('device'));
    const longest = 'x'.repeat(255);
    await on.session(`
      $ export ${at('device')} --force
      ! ${at('device')} is not a file: name another one
      $ export ${at('none', 'x.csv')}
      ! ${at('none', 'x.csv')} cannot be written: no such file or directory
      $ import ${at('none.csv')}
      ! ${at('none.csv')} cannot be read: no such file or directory
      $ import ${folder.path}
      ! ${folder.path} cannot be read: illegal operation on a directory`);
    expect(await on.run('export', '-')).to.deep.equal(answered(`${header}\r\n`));
    expect((await on.run('export', at(longest))).code).to.equal(0);
    expect(await readdir(folder.path)).to.have.members(['mine.csv', 'device', longest]);
  });
});
