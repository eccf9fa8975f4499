import { expect } from 'chai';
import { printed } from '../support/embedded/first-start.ts';
import { call } from '../support/http/caller.ts';
import { processesOf } from '../support/process/data-folder.ts';
import { dataFolderOf } from '../support/process/lives.ts';
import { inTerminal } from '../support/process/terminal.ts';

describe('npm start', () => {
  const folder = dataFolderOf('test');

  it('in a terminal: what it prints works; Ctrl-C: exit code 0, and nothing left behind', async () => {
    // Ctrl-C goes to npm and to the service, which npm sends it on to.
    const terminal = inTerminal(['npm', 'start'], { DATA_DIR: folder.path });
    await terminal.shows('listening on');
    await terminal.shows('demo remove');
    expect(terminal.screen, 'readable in a terminal').not.to.match(/^\{"level"/m);
    const { good, key, campaign } = printed(terminal.screen);
    const [base = ''] = /http:\/\/[^/]+/.exec(good) ?? [];
    const { status } = await call({ base, key, campaign, address: 'https://example.com/' });
    expect(status).to.equal(200);
    terminal.interrupt();
    expect((await terminal.ended).code).to.equal(0);
    expect(terminal.screen).to.include('stopping on SIGINT');
    expect(await processesOf(folder.path)).to.deep.equal([]);
  });
});
