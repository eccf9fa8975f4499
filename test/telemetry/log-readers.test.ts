import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { linesIn } from '../support/documents/log-schema.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { nodeOptions } from '../support/process/node-options.ts';
import { endAll, environment, projectFolder, untilTheEnd } from '../support/process/service-process.ts';

const service = [...nodeOptions, `${projectFolder}packages/app/src/main.ts`];
/** Writes numbered lines until it is told how to go on. */
const writer = (count: number, then: string, shared = false) => [
  '--input-type=module',
  '-e',
  `import { openLog } from './packages/app/src/logging/log.ts';
  const { lines, close } = openLog('info', { shared: ${shared} });
  for (let at = 0; at < ${count}; at++) lines.add(JSON.stringify({ by: process.pid, at, text: 'x'.repeat(200) }) + '\\n');
  lines.flush();
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
  /** Resolves with what it says of its log on its other output. */
  async function answersAndEnds({ child, base }: Serving, count: number): Promise<string> {
    const errors = text(child.stderr as NonNullable<typeof child.stderr>);
    for (let at = 0; at < count; at++) {
      const answer = await fetch(base, { headers: { 'X-Request-Id': `${at}-`.padEnd(128, 'x') } });
      expect(answer.status).to.equal(404);
      await answer.text();
    }
    child.kill('SIGTERM');
    expect(await exitOf(child)).to.equal(0);
    return errors;
  }

  it('a reader that is stuck holds up neither requests nor the end', async () => {
    const { read, write } = pipe();
    expect(await answersAndEnds(await serving(write), 300)).to.match(
      /^\d+ lines of the log were lost: nobody read them in time\n$/,
    );
    closeSync(read);
    closeSync(write);
  });

  it('a reader that is gone ends nobody', async () => {
    const { read, write } = pipe();
    const served = await serving(write);
    closeSync(read);
    closeSync(write);
    const told = /^the log cannot be written \(write EPIPE\): its lines are kept for a while\n\d+ lines/;
    expect(await answersAndEnds(served, 50)).to.match(told);
  });

  if (process.platform === 'linux') {
    it('a disk that is full ends nobody', async () => {
      const told = /^the log cannot be written \(ENOSPC.*\): its lines are kept for a while\n\d+ lines/;
      expect(await answersAndEnds(await serving(openSync('/dev/full', 'w')), 50)).to.match(told);
    });
  }

  it('a stuck reader of both outputs holds up no end', async () => {
    const { read, write } = pipe();
    const child = run(writer(2_000, endInOrder), write, write);
    expect(await exitOf(child)).to.equal(7);
    closeSync(read);
    closeSync(write);
  });

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

  it('a reader that comes after one that went gets what was written meanwhile', async () => {
    const fifo = join(folder, 'fifo');
    spawnSync('mkfifo', [fifo]);
    const readOne =
      'process.on("message", () => { lines.write(JSON.stringify({ at: next++ }) + "\\n"); process.send("written"); });';
    const then = `let next = 0; ${readOne} process.send("ready");`;
    const words = ['-c', 'exec "$0" "$@" > "$FIFO"', process.execPath, ...writer(0, then)];
    const child = spawn('sh', words, {
      cwd: projectFolder,
      env: environment({ FIFO: fifo }),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    untilTheEnd(child);
    const first = spawn('cat', [fifo]);
    await once(child, 'message');
    const write = async () => {
      child.send('write');
      await once(child, 'message');
    };
    await write();
    expect(numbers(String((await once(first.stdout, 'data'))[0]))).to.deep.equal([0]);
    first.kill('SIGKILL');
    await once(first, 'close');
    await write();
    await write();
    await once(child.stderr as NonNullable<typeof child.stderr>, 'data');
    const second = spawn('cat', [fifo]);
    let read = '';
    for await (const piece of second.stdout) {
      read += piece;
      if (numbers(read).includes(2)) break;
    }
    expect(numbers(read)).to.deep.equal([1, 2]);
    child.kill('SIGKILL');
    second.kill('SIGKILL');
  });

  it('processes that share an output break no line of each other', async () => {
    const both = '{ "$0" "$@" & "$0" "$@" & wait; } | { read -r first; echo "$first"; sleep 0.2; cat; }';
    const words = ['-c', both, process.execPath, ...writer(3_000, endInOrder, true)];
    const child = spawn('sh', words, { cwd: projectFolder, stdio: ['ignore', 'pipe', 'inherit'] });
    untilTheEnd(child);
    const written = await text(child.stdout);
    const lines = linesIn(written);
    const byProcess = Object.values(Object.groupBy(lines, ({ by }) => by));
    expect(byProcess.map((some) => some?.map(({ at }) => at))).to.deep.equal(
      Array(2).fill([...Array(3_000).keys()]),
    );
  });
});

function numbers(output: string): number[] {
  const lines = output.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line).at);
}
