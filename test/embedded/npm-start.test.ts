import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import { outputOf, start } from '../support/process/service-process.ts';
import { inTerminal } from '../support/process/terminal.ts';

describe('npm start', () => {
  const folder = dataFolderOf('test');

  it('in a terminal: what it prints works; doctor knows its database; Ctrl-C: exit code 0, and nothing left behind', async () => {
    // Ctrl-C goes to npm and to the service, which npm sends it on to.
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
    expect(terminal.screen, 'readable in a terminal').not.to.match(/^\{"level"/m);
    const statuses: string[] = [];
    for (const [line] of terminal.screen.matchAll(/^curl .*$/gm)) {
      const told = `${line} --output /dev/null --write-out '%{http_code}'`;
      statuses.push(await outputOf(start('sh', ['-c', told], {})));
    }
    expect(statuses).to.deep.equal(['200', '403', '404', '422']);
    const { code, output } = await command(['doctor'], { DATA_DIR: folder.path });
    expect(code, output).to.equal(0);
    expect(output).to.match(/^ok +rights +.* may do what the operator does/m);
    terminal.interrupt();
    expect((await terminal.ended).code).to.equal(0);
    expect(terminal.screen).to.include('stopping on SIGINT');
    expect(await processesOf(folder.path)).to.deep.equal([]);
  });
});
