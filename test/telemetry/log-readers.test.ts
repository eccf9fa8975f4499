import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { endedByTests, environment, main, nodeOptions } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

describe('contract: life: no request waits for the reader of the log', () => {
  const folder = folderOf('test');
  const data = serviceDataOf('suite');

  /** Starts a service whose log goes into a pipe of the kernel, unlike Node's. Nobody reads it. */
  async function serving() {
    spawnSync('mkfifo', [folder.at('pipe')]);
    const read = openSync(folder.at('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(folder.at('pipe'), 'w');
    const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
    const env = environment(data.settings({ PORT, OPS_PORT, LOG_LEVEL: 'debug' }));
    const words = [...nodeOptions, main];
    const service = endedByTests(spawn(process.execPath, words, { env, stdio: ['ignore', write, 'pipe'] }));
    closeSync(write);
    const call = () => fetch(`http://127.0.0.1:${PORT}/a`, { headers: { 'X-Request-Id': 'x'.repeat(128) } });
    await eventually('a service that answers', async () => {
      const answer = await call().catch((fault: Error) => fault.message);
      if (service.child.exitCode !== null) throw new Error(`it has ended: ${service.errors}`);
      expect(answer).to.have.property('status', 404);
    });
    return { read, service, call };
  }

  it('a reader that hangs delays no request, and the end of the process waits for it only briefly', async () => {
    const { read, service, call } = await serving();
    for (let calls = 0; calls < 300; calls++) expect((await call()).status).to.equal(404);
    expect(await service.stop()).to.deep.equal({ code: null, signal: 'SIGKILL' });
    expect(service.errors).to.equal('');
    closeSync(read);
  });

  it('if the reader is gone, the service ends in order, and its exit code is 1', async () => {
    const { read, service, call } = await serving();
    closeSync(read);
    // Its line, or an earlier one, cannot be written. The service may end before it answers.
    await call().catch(() => {});
    const { code, errors } = await service.done();
    expect(code).to.equal(1);
    expect(errors).to.match(/^.*EPIPE.*\n$/);
  });
});
