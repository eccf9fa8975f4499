import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { answered, commandProcess } from '../support/commands/command.ts';
import { databaseOf, folderOf } from '../support/process/lives.ts';
import { csv, line } from './csv.ts';

/** These campaigns do not fit into this memory, of which the program itself takes half. */
const rows = 60_000;
const NODE_OPTIONS = '--max-old-space-size=40';

describe('import and export: the memory does not grow with the file', () => {
  const source = databaseOf('suite');
  const { at } = folderOf('suite');
  const run = (...args: string[]) =>
    commandProcess(args, { DATABASE_URL: source.url('operator'), NODE_OPTIONS }).done();

  it('60,000 campaigns are imported and exported in 40 MB', async () => {
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
});
