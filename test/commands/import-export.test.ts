import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';

import { migrate } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { answered, command, fedCommand, refused, startCommand } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { csv, header, line } from '../support/commands/csv.ts';
import { emptyDatabase, latin1 } from '../support/database/database-server.ts';
import { endWaiting, rival, untilWaiting } from '../support/database/rival.ts';
import { eventually } from '../support/eventually.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { projectFolder, start } from '../support/process/service-process.ts';

/** Every kind of campaign, as `export` writes it. */
const exported = [
  header,
  '1,"Sum, ""mer"" \\N",7,true,2026-11-20T15:36:00.123456Z,9,"https://b\u00fccher.example/{id}?a=""x"",b|[c]",12,true,2026-11-20T15:36:00.000001Z,2026-11-20T15:36:00.000000Z,2026-11-20T15:36:00.000001Z',
  '3,,7,false,2026-11-20T15:36:00.100000Z,,,,,,,',
  '9007199254740991,\u{1f389},9007199254740991,false,0001-01-01T00:00:00.000000Z,2,HTTPS://Example.com:443/../%7e,0,false,,2026-11-20T15:36:00.000000Z,9999-12-31T23:59:59.999999Z',
  '',
].join('\r\n');

describe('import and export', () => {
  const database = databaseOf('test');
  const commands = commandsOn(database);
  const folder = folderOf('test');
  const { at } = folder;
  const importing = (input: string | Buffer, ...args: string[]) =>
    command(['import', '-', ...args], commands.settings, input);
  const count = async () => {
    const { rows } = await database.admin.query(
      'select count(*)::int as count from campaign_mirror.campaigns',
    );
    return rows[0].count;
  };
  it('what was exported and imported is exported again byte for byte, and the audit has it', async () => {
    await writeFile(at('first.csv'), exported);
    expect(await commands.object('import', at('first.csv'))).to.deep.equal({ campaigns: 3, mirrors: 2 });
    expect((await commands.run('export')).output).to.equal(exported);
    const done = await commands.run('export', at('second.csv'));
    expect(done).to.deep.equal(answered(`3 campaigns were exported to ${at('second.csv')}.\n`));
    expect(await readFile(at('second.csv'), 'utf8')).to.equal(exported);
    expect((await stat(at('second.csv'))).mode & 0o777).to.equal(0o600);
    expect(await readdir(folder.path)).to.have.members(['first.csv', 'second.csv']);

    const { rows } = await database.admin.query('select act, details from campaign_mirror.operator_audit');
    expect(rows).to.deep.equal([
      { act: 'campaigns-imported', details: { campaigns: 3, mirrors: 2, source: 'first.csv' } },
    ]);
    const { id } = await commands.object('campaign', 'create', '--owner', '1');
    expect(id, 'numbers go on').to.equal(4);
  });

  it('in JSON, a line for each campaign, with the columns of the file', async () => {
    await importing(exported);
    const [first, second, ...others] = await commands.objects('export');
    expect(Object.keys(first ?? {}).join(',')).to.equal(header);
    expect(first).to.include({ id: 1, name: 'Sum, "mer" \\N', is_default: true, clicks: 12 });
    expect(second).to.include({ id: 3, name: null, mirror_id: null, target_url: null, clicks: null });
    expect(others).to.have.length(1);
  });

  it('takes what a spreadsheet writes: a byte order mark, its own order of columns, TRUE, empty lines', async () => {
    const columns = header.split(',').reverse();
    const text = `\ufeff"${columns.join('","')}"\r\n,,,,,,,,TRUE,7,"Mine",\r\n\r\n,,,,,https://a.example/,,,,8,,\r\n`;
    expect(await importing(text)).to.deep.equal(answered('Imported: 2 campaigns, 1 mirror.\n'));
    const { rows } = await database.admin.query(
      'select owner_id, is_default, name from campaign_mirror.campaigns order by owner_id',
    );
    expect(rows).to.deep.equal([
      { owner_id: '7', is_default: true, name: 'Mine' },
      { owner_id: '8', is_default: false, name: null },
    ]);
  });

  it('whoever waits at a terminal sees how far it is', async () => {
    await writeFile(at('campaigns.csv'), exported);
    const seen = commands.inTerminal('import', at('campaigns.csv'));
    await seen.shows(/Reading .* of \d+ /);
    await seen.shows('Imported: 3 campaigns, 2 mirrors.');
    expect((await seen.ended).code).to.equal(0);
    const back = commands.inTerminal('export', at('back.csv'));
    await back.shows(/Reading campaigns .* of 3 /);
    await back.shows(`3 campaigns were exported to ${at('back.csv')}.`);
    expect((await back.ended).code).to.equal(0);
  });

  it('every bad line is told with its number and why, in their order, and nothing is imported', async () => {
    const { id } = await commands.object(
      'campaign',
      'create',
      '--owner',
      '7',
      '--default',
      '--name',
      'First',
    );
    const bad = [
      line({ id: '50', owner_id: '1', is_default: 'true' }),
      line({ id: '50', owner_id: '1', is_default: 'true' }),
      line({ id: String(id), owner_id: '7' }),
      '',
      line({ owner_id: '7', is_default: 'true' }),
      line({ owner_id: '0', name: '"two\nlines"' }),
      `${line({ owner_id: '2' })},`,
      line({ owner_id: '3', target_url: 'https://go.example.com/', clicks: '-1' }),
      line({ owner_id: '3', name: 'a"b' }),
    ];
    const input = Buffer.concat([
      Buffer.from(csv(...bad)),
      Buffer.from(line({ owner_id: '3', name: '\xff' }), 'latin1'),
    ]);
    const settings = { ...commands.settings, MIRROR_HOST_DENYLIST: 'go.example.com' };
    const { code, output, errors } = await command(['import', '-'], settings, input);
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(errors.split('\n')).to.deep.equal([
      'line 3: id: campaign 50 is in line 2 already',
      'line 3: is_default: the owner 1 has a default campaign already: campaign 50 (line 2)',
      'line 4: id: there is a campaign 1 already',
      'line 6: is_default: the owner 7 has a default campaign already: campaign 1 "First"',
      'line 7: a quotation mark is not closed: a field cannot go over several lines',
      'line 8: a quotation mark stands where none may: a field with one is quoted as a whole, and the mark doubled',
      'line 9: there are 13 fields, where the header has 12',
      'line 10: target_url: MIRROR_HOST_DENYLIST denies its host',
      'line 10: clicks: it must be a whole number from 0 to 9007199254740991',
      'line 11: a quotation mark stands where none may: a field with one is quoted as a whole, and the mark doubled',
      'line 12: the line is not in UTF-8',
      'nothing was imported, since 9 lines are bad: fix the file, and import it again',
      '',
    ]);
    expect(await count()).to.equal(1);

    const inJson = await command(['import', '-', '--json'], settings, input);
    const objects = inJson.output.split('\n').slice(0, -1);
    expect(objects).to.have.length(11);
    expect(JSON.parse(objects[2] ?? '')).to.deep.equal({
      line: 4,
      column: 'id',
      fault: 'campaign-taken',
      reason: 'there is a campaign 1 already',
    });
    expect(inJson).to.include({ code: 1, errors: `${errors.split('\n').at(-2)}\n` });
  });

  it('a line that never ends is one bad line, and the others are told too', async () => {
    const long = line({ owner_id: '1', name: 'x'.repeat(500_000) });
    const { errors } = await importing(csv(long, line({ owner_id: 'x' })));
    expect(errors.split('\n').slice(0, 2)).to.deep.equal([
      'line 2: the line is longer than 65536 bytes',
      'line 3: owner_id: it must be a whole number from 1 to 9007199254740991',
    ]);
  });

  it('a header that is not ours is said to be so, with what it must be', async () => {
    const renamed = header.replace('clicks', 'Clicks');
    const must = `The first line must name owner_id, and may name, in any order: ${header}\n`;
    for (const [input, why] of [
      [renamed, 'it has unknown columns Clicks. '],
      [`${header},id`, 'it has columns twice id. '],
      ['id,name', 'it lacks the column owner_id. '],
      ['', 'it lacks the column owner_id. '],
    ] as const) {
      expect(await importing(input)).to.deep.equal({ code: 1, output: '', errors: `line 1: ${why}${must}` });
    }
  });

  it('a column that the header does not name is empty in each line', async () => {
    const { output, errors } = await importing('owner_id,target_url\n7,https://a.example/\n');
    expect({ output, errors }).to.deep.equal({ output: 'Imported: 1 campaign, 1 mirror.\n', errors: '' });
    expect((await commands.object('export')).name).to.equal(null);
    const exporting = await commands.run('export', at('one.csv'));
    expect(exporting.output).to.equal(`1 campaign was exported to ${at('one.csv')}.\n`);
  });

  it('numbers go on beyond very great ones', async () => {
    await importing(csv(line({ id: '9000000000000001', owner_id: '7' })));
    expect(await commands.object('campaign', 'create', '--owner', '7')).to.include({ id: 9000000000000002 });
  });

  it('- is standard output', async () => {
    const { code, output } = await commands.run('export', '-');
    expect({ code, output }).to.deep.equal({ code: 0, output: `${header}\r\n` });
  });

  it('a database that is not in UTF8 is said to be so, and no file is blamed', async () => {
    await commands.run('backup', at('backup'));
    const latin = await emptyDatabase('owner', latin1);
    await migrate(latin.address('owner'));
    const input = csv(line({ owner_id: '7', name: '\u{1f389}' }));
    const errors = 'the database is in LATIN1, not in UTF8: make one with encoding UTF8\n';
    for (const words of [
      ['import', '-'],
      ['restore', at('backup')],
    ])
      expect(await command(words, commandsOn(latin).settings, input)).to.deep.equal(refused(errors));
  });

  it('a file that is not there, or is a folder', async () => {
    expect(await commands.run('import', at('none.csv'))).to.deep.equal(
      refused(`${at('none.csv')} cannot be read (ENOENT)\n`),
    );
    expect(await commands.run('import', folder.path)).to.deep.equal(
      refused(`${folder.path} is a folder, not a file\n`),
    );
  });

  it('a file that is there is written over with --force only, and what is no file never', async () => {
    await writeFile(at('mine.csv'), 'mine');
    const errors = `${at('mine.csv')} is there already: name another file, or add --force\n`;
    expect(await commands.run('export', at('mine.csv'))).to.deep.equal(refused(errors));
    expect(await readFile(at('mine.csv'), 'utf8')).to.equal('mine');
    expect((await commands.run('export', at('mine.csv'), '--force')).code).to.equal(0);
    expect(await readFile(at('mine.csv'), 'utf8')).to.equal(`${header}\r\n`);
    await symlink('/dev/null', at('device'));
    expect((await commands.run('export', at('device'), '--force')).errors).to.match(/is no file/);
    expect((await commands.run('export', folder.at('none', 'x.csv'))).errors).to.match(
      /cannot be written \(ENOENT\)\n$/,
    );
    expect(await readdir(folder.path)).to.have.members(['mine.csv', 'device']);
  });

  it('whoever reads no more ends the export quietly', async () => {
    await database.admin.query(
      "insert into campaign_mirror.campaigns (owner_id, name) select n, repeat('x', 200) from generate_series(1, 20000) n",
    );
    const words = `{ ${projectFolder}campaign-mirror export; echo "ended with $?" >&2; } | head -1`;
    const reading = start('sh', ['-c', words], commands.settings);
    await reading.ended;
    expect(reading).to.include({ output: `${header}\r\n`, errors: 'ended with 0\n' });
  });

  describe('what others do meanwhile', () => {
    const mine = [
      line({ id: '5', owner_id: '1', target_url: 'https://a.example/', mirror_id: '6' }),
      line({ owner_id: '2', is_default: 'true' }),
    ];
    const taking: Record<string, [statement: string, why: string]> = {
      'a number': [
        'insert into campaign_mirror.campaigns (id, owner_id) values (5, 9)',
        'line 2: id: there is a campaign 5 already\n',
      ],
      'the default': [
        "insert into campaign_mirror.campaigns (id, owner_id, is_default, name) values (100, 2, true, 'Theirs')",
        'line 3: is_default: the owner 2 has a default campaign already: campaign 100 "Theirs"\n',
      ],
    };
    for (const [what, [statement, why]] of Object.entries(taking)) {
      it(`whoever takes ${what} before it is written makes it a bad line`, async () => {
        const other = await rival(database);
        await other.run(statement);
        const running = importing(csv(...mine));
        await untilWaiting(database, running);
        await other.commit();
        const { code, errors } = await running;
        expect(code, errors).to.equal(1);
        expect(errors).to.match(/^[^\n]*\nnothing was imported, since one line is bad/);
        expect(errors).to.include(why);
        expect(await count()).to.equal(1);
      });
    }

    it('whoever takes a number and gives it back holds the import up, and no more', async () => {
      const other = await rival(database);
      await other.run('insert into campaign_mirror.campaigns (id, owner_id) values (5, 9)');
      const running = importing(csv(...mine));
      await untilWaiting(database, running);
      await other.rollback();
      expect(await running).to.include({ code: 0, output: 'Imported: 2 campaigns, 1 mirror.\n' });
    });

    it('whoever creates a campaign gets none of the numbers that are being imported', async () => {
      const other = await rival(database);
      await other.run(
        'insert into campaign_mirror.campaigns (id, owner_id, is_default) values (100, 2, true)',
      );
      const running = importing(csv(...mine));
      await untilWaiting(database, running);
      const { id } = await commands.object('campaign', 'create', '--owner', '4');
      expect(id).to.be.greaterThan(5);
      await other.rollback();
      expect((await running).code).to.equal(0);
    });
  });

  for (const name of ['export', 'backup']) {
    /** The command in its middle. */
    const held = async () => {
      const other = await rival(database);
      await other.run('lock table campaign_mirror.campaigns in access exclusive mode');
      const running = startCommand([name, at('all')], commands.settings);
      await untilWaiting(database, running.ended);
      return { running, other };
    };

    it(`${name}: a database that goes away meanwhile: there is no file, and that is said`, async () => {
      const { running, other } = await held();
      await endWaiting(database);
      expect((await running.ended).code).to.equal(3);
      expect(running.output).to.equal('');
      expect(running.errors).to.match(
        /^the database \S+ became unavailable \(57P01\): nothing was written; run it again\n$/,
      );
      await other.rollback();
      expect(await readdir(folder.path)).to.deep.equal([]);
    });

    it(`${name}: Ctrl-C: there is no file, and none beside`, async () => {
      const { running, other } = await held();
      expect(await running.stop('SIGINT'), running.errors).to.deep.equal({ code: 130, signal: null });
      expect(running).to.include({ output: '', errors: 'Stopped. Nothing was written.\n' });
      await other.rollback();
      expect(await readdir(folder.path)).to.deep.equal([]);
    });
  }

  describe('Ctrl-C', () => {
    const sessions = async () => {
      const { rows } = await database.admin.query(
        "select from pg_stat_activity where datname = current_database() and application_name = 'campaign-mirror operator'",
      );
      return rows.length;
    };

    it('in the middle of the file: nothing is imported, and all of it the next time', async () => {
      const half = Array.from({ length: 2_000 }, (_, n) => line({ id: String(n + 1), owner_id: '1' }));
      const running = fedCommand(['import', '-'], commands.settings);
      running.stdin.write(csv(...half));
      await eventually('a copy', async () => {
        const { rowCount } = await database.admin.query(
          'select from pg_stat_progress_copy where datname = current_database() and tuples_processed > 0',
        );
        expect(rowCount).to.equal(1);
      });
      expect(await running.stop('SIGINT'), running.errors).to.deep.equal({ code: 130, signal: null });
      expect(running).to.include({ output: '', errors: 'Stopped. Nothing was imported.\n' });
      await eventually('its session to end', async () => expect(await sessions()).to.equal(0));
      expect(await count()).to.equal(0);
      expect((await importing(csv(...half))).output).to.equal('Imported: 2000 campaigns, 0 mirrors.\n');
    });

    it('while it is written: it is undone at once, whoever holds it up', async () => {
      await writeFile(at('one.csv'), csv(line({ id: '5', owner_id: '1' })));
      const other = await rival(database);
      await other.run('insert into campaign_mirror.campaigns (id, owner_id) values (5, 9)');
      const running = startCommand(['import', at('one.csv')], commands.settings);
      await untilWaiting(database, running.ended);
      expect(await running.stop('SIGINT'), running.errors).to.deep.equal({ code: 130, signal: null });
      await eventually('its session to end', async () => expect(await sessions()).to.equal(0));
      await other.rollback();
      expect(await count()).to.equal(0);
    });
  });
});
