import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import { outputOf, start } from '../support/process/service-process.ts';
import { inTerminal } from '../support/process/terminal.ts';

describe('npm start in a terminal', () => {
  const folder = dataFolderOf('test');

  it('prints pages and calls that work, and Ctrl-C ends it with exit code 0 and no process left', async () => {
    // The terminal sends Ctrl-C to npm and to the service, and npm forwards it to the service.
    const terminal = inTerminal(['npm', 'start'], { DATA_DIR: folder.path });
    await terminal.shows('listening on');
    await terminal.shows('not an address');
    const [, docs = '', operators = ''] =
      /page to try it: (\S+)\); the page for operators: (\S+)/.exec(
        terminal.screen.replaceAll(/\s*\r?\n\s*/g, ' '),
      ) ?? [];
    expect(docs).to.match(/\/docs$/);
    for (const page of [docs, operators])
      expect((await fetch(page)).headers.get('content-type'), page).to.match(/^text\/html/);
    expect(terminal.screen, 'the log is for people').not.to.match(/^\{"level"/m);
    const statuses: string[] = [];
    for (const [line] of terminal.screen.matchAll(/^curl .*$/gm)) {
      const call = `${line} --output /dev/null --write-out '%{http_code}'`;
      statuses.push(await outputOf(start('sh', ['-c', call], {})));
    }
    expect(statuses).to.deep.equal(['200', '403', '404', '422']);
    const { code, output } = await command(['doctor'], { DATA_DIR: folder.path });
    expect(code, output).to.equal(0);
    terminal.type('\u0003');
    expect((await terminal.ended).code).to.equal(0);
    expect(processesOf(folder.path)).to.deep.equal([]);
  });
});
