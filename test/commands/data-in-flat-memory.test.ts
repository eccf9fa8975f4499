import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answered, commandProcess, startCommandProcess } from '../support/commands/command.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { csv, line } from './csv.ts';

/** So many campaigns do not fit into so many megabytes, where the program itself takes half of them. */
const rows = 60_000;
/** So many of the past, and so many in one look. */
const changes = 25_000;
const NODE_OPTIONS = '--max-old-space-size=40';

describe('much data, in little memory', () => {
  const source = databaseOf('suite');
  const { at } = folderOf('suite');
  const run = (...args: string[]) =>
    commandProcess(args, { DATABASE_URL: source.url('operator'), NODE_OPTIONS });

  it('import and export', async () => {
    const one = (_: unknown, n: number) =>
      line({
        id: `${n + 1}`,
        owner_id: `${(n % 1_000) + 1}`,
        target_url: `https://example.com/${n}?click={click_id}`,
      });
    await writeFile(at('good.csv'), csv(...Array.from({ length: rows }, one)));
    expect(await run('import', at('good.csv'))).to.deep.equal(
      answered(`Imported: ${rows} campaigns, ${rows} mirrors.\n`),
    );
    const { output, ...exported } = await run('export');
    expect(exported).to.deep.equal({ code: 0, errors: '' });
    expect(output.split('\r\n')).to.have.length(rows + 2);
  });

  it('follow: the changes of the past, and those of one look', async () => {
    const { admin, url } = source;
    const changed = (time: string) =>
      admin.query(
        `insert into campaign_mirror.mirror_history
           (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
         select n, n, 'operator', 1, 'https://before.example/' || n, 'https://after.example/' || n, ${time}, 'r'
         from generate_series(1, $1) n`,
        [changes],
      );
    await changed("'2026-01-01'::timestamptz + make_interval(secs => n)");
    const settings = { DATABASE_URL: url('operator'), NODE_OPTIONS };
    const following = startCommandProcess(['mirror', 'follow', '--since', '2020-01-01', '--json'], settings);
    let lines = 0;
    following.child.stdout?.on('data', (text: string) => {
      lines += text.split('\n').length - 1;
    });
    const printed = (count: number) => following.says(() => lines >= count || undefined);
    await printed(changes);
    await changed("'2026-02-02'::timestamptz + make_interval(secs => n)");
    await printed(2 * changes);
    expect(await following.stop('SIGINT')).to.deep.equal({ code: 0, signal: null });
    expect(lines).to.equal(2 * changes);
  });
});
