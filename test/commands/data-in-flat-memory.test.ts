import { stat, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { commandProcess } from '../support/commands/command.ts';
import { csv, line } from '../support/commands/csv.ts';
import { freshDatabase } from '../support/database/database-server.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';

/** So many campaigns do not fit into so many megabytes, where the program itself takes half of them. */
const rows = 60_000;
const NODE_OPTIONS = '--max-old-space-size=40';

describe('much data, in little memory', () => {
  const database = databaseOf('suite');
  const { at } = folderOf('suite');
  const run = (...args: string[]) =>
    commandProcess(args, { DATABASE_URL: database.url('operator'), NODE_OPTIONS });
  const campaigns = (owner: (n: number) => string) =>
    csv(
      ...Array.from({ length: rows }, (_, n) =>
        line({
          id: String(n + 1),
          owner_id: owner(n),
          target_url: `https://example.com/${n}?click={click_id}`,
        }),
      ),
    );
  it('bad lines, each of which is told', async () => {
    await writeFile(
      at('bad.csv'),
      campaigns(() => '0'),
    );
    const { code, output, errors } = await run('import', at('bad.csv'), '--json');
    expect(code, errors).to.equal(1);
    const lines = output.split('\n').slice(0, -1);
    expect(lines).to.have.length(rows);
    for (const [n, text] of lines.entries()) expect(text.startsWith(`{"line":${n + 2},`)).to.equal(true);
  });

  it('import, export and backup', async () => {
    await writeFile(
      at('good.csv'),
      campaigns((n) => String((n % 1_000) + 1)),
    );
    const done = { code: 0, errors: '' };
    const imported = await run('import', at('good.csv'));
    expect(imported).to.deep.equal({ ...done, output: `Imported: ${rows} campaigns, ${rows} mirrors.\n` });
    const exported = await run('export');
    expect(exported).to.include(done);
    expect(exported.output.split('\r\n')).to.have.length(rows + 2);
    expect(await run('backup', at('all.backup'))).to.include(done);
    expect((await stat(at('all.backup'))).size).to.be.greaterThan(rows);
  });

  it('restore', async () => {
    const target = await freshDatabase();
    const settings = { DATABASE_URL: target.url('operator'), NODE_OPTIONS };
    const { code, errors } = await commandProcess(['restore', at('all.backup')], settings);
    expect(code, errors).to.equal(0);
    const { rows: counted } = await target.admin.query('select count(*)::int from campaign_mirror.mirrors');
    expect(counted).to.deep.equal([{ count: rows }]);
  });
});
