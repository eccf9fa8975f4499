import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { environment, main, nodeOptions, untilTheEnd } from '../support/process/service-process.ts';
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
    const child = spawn(process.execPath, [...nodeOptions, main], { env, stdio: ['ignore', write, 'pipe'] });
    untilTheEnd(child);
    closeSync(write);
    const errors = text(child.stderr as NonNullable<typeof child.stderr>);
    const ended = once(child, 'exit').then(async ([code, signal]) => ({
      code,
      signal,
      errors: await errors,
    }));
    const call = () => fetch(`http://127.0.0.1:${PORT}/a`, { headers: { 'X-Request-Id': 'x'.repeat(128) } });
    await eventually('a service that answers', async () => {
      const answer = await call().catch((fault: Error) => fault.message);
      if (child.exitCode !== null) throw new Error(`it has ended: ${await errors}`);
      expect(answer).to.have.property('status', 404);
    });
    return { read, child, call, ended };
  }

  it('a reader that hangs delays no request, and the end of the process waits for it only briefly', async () => {
    const { read, child, call, ended } = await serving();
    for (let calls = 0; calls < 300; calls++) expect((await call()).status).to.equal(404);
    child.kill('SIGTERM');
    expect(await ended).to.deep.equal({ code: null, signal: 'SIGKILL', errors: '' });
    closeSync(read);
  });

  it('if the reader is gone, the service ends in order, and its exit code is 1', async () => {
    const { read, call, ended } = await serving();
    closeSync(read);
    expect((await call()).status).to.equal(404);
    const { code, errors } = await ended;
    expect(code).to.equal(1);
    expect(errors).to.match(/^.*EPIPE.*\n$/);
  });
});
