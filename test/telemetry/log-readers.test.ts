import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { freePort } from '@campaign-mirror/embedded-postgres/service';
import { expect } from 'chai';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { environment, nodeOptions, projectFolder, untilTheEnd } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';

describe('contract: life — whoever reads the log, or does not', () => {
  const folder = folderOf('test');
  const data = serviceDataOf('suite');

  /** A pipe as a shell makes it, unlike Node's. */
  function pipe(): { read: number; write: number } {
    const fifo = folder.at('pipe');
    spawnSync('mkfifo', [fifo]);
    const read = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    return { read, write: openSync(fifo, 'w') };
  }

  /** As nobody may read the log, what it says is known from elsewhere: the ports are given. `ended`: what came of it. */
  async function serving(output: number) {
    const [PORT, OPS_PORT] = [String(await freePort()), String(await freePort())];
    const words = [...nodeOptions, `${projectFolder}packages/app/src/main.ts`];
    const child = spawn(process.execPath, words, {
      cwd: projectFolder,
      env: environment(data.settings({ PORT, OPS_PORT, LOG_LEVEL: 'debug' })),
      stdio: ['ignore', output, 'pipe'],
    });
    untilTheEnd(child);
    closeSync(output);
    const errors = text(child.stderr as NonNullable<typeof child.stderr>);
    const base = `http://127.0.0.1:${PORT}`;
    await eventually('a service that answers', async () => {
      const answer = await fetch(`${base}/a`).catch((fault: Error) => fault.message);
      if (child.exitCode !== null) throw new Error('it ended');
      expect(answer).to.have.property('status', 404);
    });
    const answers = async (count: number) => {
      for (let at = 0; at < count; at++) {
        const answer = await fetch(`${base}/a`, { headers: { 'X-Request-Id': `${at}-`.padEnd(128, 'x') } });
        expect(answer.status).to.equal(404);
        await answer.text();
      }
    };
    const ended = once(child, 'exit').then(async ([code, signal]) => ({
      ...{ code, signal, errors: await errors },
    }));
    return { child, answers, ended };
  }

  it('a reader that is stuck holds up no request; at the end it is not awaited for long', async () => {
    const { read, write } = pipe();
    const { child, answers, ended } = await serving(write);
    await answers(300);
    child.kill('SIGTERM');
    expect(await ended).to.deep.equal({ code: null, signal: 'SIGKILL', errors: '' });
    closeSync(read);
  });

  it('a reader that is gone ends the service in order, exit code 1', async () => {
    const { read, write } = pipe();
    const { answers, ended } = await serving(write);
    closeSync(read);
    await answers(1);
    const { code, errors } = await ended;
    expect(code).to.equal(1);
    expect(errors).to.match(/^the log cannot be written \(EPIPE.*\)\n$/);
  });

  it('a disk that is full ends nobody', async () => {
    const { child, answers, ended } = await serving(openSync('/dev/full', 'w'));
    await answers(50);
    child.kill('SIGTERM');
    const { code, errors } = await ended;
    expect(code).to.equal(0);
    expect(errors).to.match(/^the log cannot be written \(ENOSPC.*\)\n/);
  });
});
