import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { nodeOptions } from '../support/process/node-options.ts';
import { endAll, environment, projectFolder, untilTheEnd } from '../support/process/service-process.ts';

const service = [...nodeOptions, `${projectFolder}packages/app/src/main.ts`];
/** Writes numbered lines until it is told how to go on. */
const writer = (count: number, then: string) => [
  '--input-type=module',
  '-e',
  `import { openLog } from './packages/app/src/logging/log.ts';
  const { lines, close } = openLog('info');
  for (let at = 0; at < ${count}; at++) lines.add(JSON.stringify({ at, text: 'x'.repeat(200) }) + '\\n');
  ${then}`,
];
const endInOrder = 'await close(); process.exit(7);';

describe('contract: life — whoever reads the log, or does not', () => {
  const data = serviceDataOf('suite');
  const folder = mkdtempSync(join(tmpdir(), 'campaign-mirror-log-'));
  let pipes = 0;
  afterEach(endAll);
  after(() => rmSync(folder, { recursive: true }));

  /** A pipe as a shell makes it, unlike Node's: `read` and `write` are its ends. */
  function pipe(): { read: number; write: number } {
    pipes += 1;
    const fifo = join(folder, `pipe-${pipes}`);
    spawnSync('mkfifo', [fifo]);
    const read = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    return { read, write: openSync(fifo, 'w') };
  }

  function run(
    args: readonly string[],
    output: number | Socket,
    errors: 'pipe' | number = 'pipe',
    settings = {},
  ): ChildProcess {
    const child = spawn(process.execPath, args, {
      cwd: projectFolder,
      env: environment({ ...data.settings(), ...settings }),
      stdio: ['ignore', output, errors],
    });
    untilTheEnd(child);
    return child;
  }
  const exitOf = async (child: ChildProcess) => (await once(child, 'exit'))[0];

  /** As nobody may read the log, what it says is known from elsewhere: the ports are given. */
  async function serving(output: Parameters<typeof run>[1]): Promise<{ child: ChildProcess; base: string }> {
    const [port, opsPort] = [await freePort(), await freePort()];
    const child = run(service, output, 'pipe', {
      PORT: String(port),
      OPS_PORT: String(opsPort),
      LOG_LEVEL: 'debug',
    });
    const base = `http://127.0.0.1:${port}`;
    await eventually('a service that answers', async () => {
      const answer = await fetch(base).catch((fault: Error) => fault.message);
      if (child.exitCode !== null) throw new Error('it ended');
      expect(answer).to.have.property('status', 404);
    });
    return { child, base };
  }

  type Serving = Awaited<ReturnType<typeof serving>>;
  /** What it says of its log on its other output, and how it ends. */
  async function answersAndEnds({ child, base }: Serving, count: number) {
    const errors = text(child.stderr as NonNullable<typeof child.stderr>);
    for (let at = 0; at < count; at++) {
      const answer = await fetch(base, { headers: { 'X-Request-Id': `${at}-`.padEnd(128, 'x') } });
      expect(answer.status).to.equal(404);
      await answer.text();
    }
    child.kill('SIGTERM');
    const [code, signal] = await once(child, 'exit');
    return { errors: await errors, code, signal };
  }

  it('a reader that is stuck holds up no request; at the end it is not awaited for long', async () => {
    const { read, write } = pipe();
    const { errors, code, signal } = await answersAndEnds(await serving(write), 300);
    expect([errors, code, signal]).to.deep.equal(['', null, 'SIGKILL']);
    closeSync(read);
    closeSync(write);
  });

  it('a reader that is gone ends the service in order, exit code 1', async () => {
    const { read, write } = pipe();
    const { child } = await serving(write);
    const errors = text(child.stderr as NonNullable<typeof child.stderr>);
    closeSync(read);
    closeSync(write);
    // A line that it writes is what tells it.
    child.kill('SIGUSR2');
    expect((await once(child, 'exit'))[0]).to.equal(1);
    expect(await errors).to.match(/^the log cannot be written \(EPIPE.*\)\n$/);
  });

  if (process.platform === 'linux') {
    it('a disk that is full ends nobody', async () => {
      const served = await serving(openSync('/dev/full', 'w'));
      const { errors, code } = await answersAndEnds(served, 50);
      expect(errors).to.match(/^the log cannot be written \(ENOSPC.*\)\n/);
      expect(code).to.equal(0);
    });
  }

  it('a file gets all', async () => {
    const file = join(folder, 'file');
    const child = run(writer(2_000, endInOrder), openSync(file, 'a'));
    expect(await exitOf(child)).to.equal(7);
    expect(numbers(readFileSync(file, 'utf8'))).to.deep.equal([...Array(2_000).keys()]);
  });

  it('a file gets the last lines of a process that fails', () => {
    const file = join(folder, 'failing');
    const output = openSync(file, 'a');
    const args = writer(200, 'throw new Error("uncaught");');
    spawnSync(process.execPath, args, { cwd: projectFolder, stdio: ['ignore', output, 'ignore'] });
    expect(numbers(readFileSync(file, 'utf8')).toSorted((one, other) => one - other)).to.deep.equal([
      ...Array(200).keys(),
    ]);
  });

  it('a socket gets all, in its own time', async () => {
    const server = createServer({ pauseOnConnect: true }).listen(join(folder, 'socket'));
    await once(server, 'listening');
    const connected = once(server, 'connection');
    const ours = connect(join(folder, 'socket'));
    const [theirs] = (await connected) as [Socket];
    const child = run(writer(2_000, 'setInterval(() => {}, 1_000);'), ours);
    ours.destroy();
    let read = '';
    theirs.setEncoding('utf8').resume();
    for await (const piece of theirs) {
      read += piece;
      if (numbers(read).length === 2_000) break;
    }
    expect(numbers(read)).to.deep.equal([...Array(2_000).keys()]);
    child.kill('SIGKILL');
    server.close();
  });
});

function numbers(output: string): number[] {
  const lines = output.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line).at);
}
