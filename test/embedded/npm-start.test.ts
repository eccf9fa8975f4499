import { spawn } from 'node:child_process';
import { expect } from 'chai';
import { call } from '../support/caller.ts';
import { type DataFolder, dataFolder, endDatabaseOf, processesOf } from '../support/data-folder.ts';
import { printed } from '../support/first-start.ts';
import {
  endAll,
  environment,
  projectFolder,
  RunningProcess,
  untilTheEnd,
} from '../support/service-process.ts';

describe('npm start', () => {
  let folder: DataFolder;
  beforeEach(async () => {
    folder = await dataFolder();
  });
  afterEach(async () => {
    await endAll();
    await endDatabaseOf(folder.path);
    await folder.remove();
  });

  it('in a terminal: what it prints works; Ctrl-C: exit code 0, and nothing left behind', async () => {
    // `script` gives it a terminal of its own, whose Ctrl-C goes to npm and to the service, which npm sends it on to.
    const command =
      process.platform === 'darwin'
        ? ['-q', '/dev/null', 'npm', 'start']
        : ['-qec', 'exec npm start', '/dev/null'];
    const child = spawn('script', command, {
      cwd: projectFolder,
      env: { ...environment({ DATA_DIR: folder.path }), TERM: 'dumb' },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    untilTheEnd(child);
    const terminal = new RunningProcess(child);
    await terminal.says(() => terminal.output.includes('listening on') || undefined);
    await terminal.says(() => terminal.output.includes('demo remove') || undefined);
    expect(terminal.output, 'readable in a terminal').not.to.match(/^\{"level"/m);
    const { good, key, campaign } = printed(terminal.output);
    const [base = ''] = /http:\/\/[^/]+/.exec(good) ?? [];
    const { status } = await call({ base, key, campaign, address: 'https://example.com/' });
    expect(status).to.equal(200);
    child.stdin?.write('\x03');
    expect((await terminal.ended).code).to.equal(0);
    expect(terminal.output).to.include('stopping on SIGINT');
    expect(await processesOf(folder.path)).to.deep.equal([]);
  });
});
