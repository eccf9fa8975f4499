import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { advice, EmbeddedError, oneLine } from './errors.ts';
import { surroundings } from './programs.ts';

/**
 * A free port of 127.0.0.1, below the range for outgoing connections: otherwise such a connection might take it before
 * the database does, and a pool that reconnects can even connect to itself.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(20_000, 30_000);
    const server = createServer().listen({ host: '127.0.0.1', port, exclusive: true });
    const isFree = await once(server, 'listening').catch(() => false);
    server.close();
    if (isFree) return port;
  }
  throw new Error('no free port between 20000 and 30000');
}

/** The server, as it describes itself in postmaster.pid, which a killed one leaves behind. */
export async function readPostmaster(pgdata: string) {
  const text = await readFile(fileOf(pgdata), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n').map((line) => line.trim());
  return { processId: Number(lines[0]), port: Number(lines[3]), isReady: lines[7] === 'ready' };
}

/**
 * Removes a postmaster.pid of no server, for which PostgreSQL would refuse to start: it names a process that is alive but
 * another program, as Linux says, or is empty after a loss of power. Any other is judged by PostgreSQL, which looks at more.
 */
export async function removeStale(pgdata: string): Promise<void> {
  const found = await readPostmaster(pgdata);
  if (found === undefined) return;
  const words = await readFile(`/proc/${found.processId}/cmdline`, 'utf8').catch(() => undefined);
  // A server that has just started may not have written it yet.
  const isStale = found.processId
    ? words && !words.includes(`\0-D\0${pgdata}\0`)
    : Date.now() - (await stat(fileOf(pgdata))).mtimeMs > 2_000;
  if (isStale) await rm(fileOf(pgdata));
}

const fileOf = (pgdata: string) => join(pgdata, 'postmaster.pid');

/** Settings of the server by their names, as in postgresql.conf. */
export type ServerSettings = Record<string, string>;

/** The server's command line. It overrides postgresql.conf, so that an update also reaches existing clusters. */
export function serverArguments(pgdata: string, port: number, extra: ServerSettings): string[] {
  const options = Object.entries({ ...usual, ...extra }).map(([name, value]) => `--${name}=${value}`);
  return ['-D', pgdata, '-p', String(port), ...options];
}

const usual: ServerSettings = {
  // Reachable from this machine only, and not by a socket file: its path is limited to about 100 bytes.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // No statement and no parameter reaches the log: this leaves plain errors out, whose first line may quote a parameter;
  // they are the caller's to report. `terse` drops the DETAIL of a crash, the running statement.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_autovacuum_min_duration: '-1',
  log_checkpoints: 'off',
};

/** How long what is left of a killed server may take to end, in milliseconds. */
const longestEnd = 60_000;
/** In bytes: a larger log is emptied at a start. */
const largestLog = 16 * 1024 * 1024;

export const logOf = ({ home }: Cluster) => join(home, 'postgresql.log');

/**
 * Starts the server of the cluster as a child, and waits until it accepts connections. For who has the lock.
 * @throws EmbeddedError; a file system error; the signal's reason, when the server has been stopped again
 */
export async function startServer(
  cluster: Cluster,
  program: string,
  settings: ServerSettings,
  signal: AbortSignal,
) {
  for (const deadline = Date.now() + longestEnd; ; await pause(100)) {
    signal.throwIfAborted();
    await removeStale(cluster.pgdata);
    const port = await freePort();
    const server = await start(cluster, program, serverArguments(cluster.pgdata, port, settings), signal);
    if (typeof server !== 'string') return { ...server, port };
    // The server of a killed process or its processes still end; or another program has taken the port meanwhile.
    const mayPass = /lock file "postmaster.pid"|is still in use|could not bind/.test(server);
    if (!mayPass || Date.now() > deadline)
      throw new EmbeddedError(
        `The embedded database in ${cluster.folder} does not start${cluster.user ? ` as the OS user ${cluster.user.name}` : ''} (${reasonIn(server)}): see ${logOf(cluster)}, or ${advice.otherServer}.`,
      );
  }
}

/**
 * The program, and beside it a shell that waits for the end of a pipe from us, which ends with us even by kill -9, and then
 * stops the server.
 */
const endingWithUs = `(exec sh -c 'read -r _; kill -INT "$0"' $$ <&3 2> /dev/null &); exec "$0" "$@" 3<&-`;

/** The server; or what one that ended before it was ready has logged. */
async function start(cluster: Cluster, program: string, words: string[], signal: AbortSignal) {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  await using log = await open(logOf(cluster), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  if ((await log.stat()).size > largestLog) await log.truncate();
  const { size } = await log.stat();
  const child = spawn('/bin/sh', ['-c', endingWithUs, program, ...words], {
    ...surroundings(cluster.user),
    // Its own session: a terminal's Ctrl-C would otherwise reach it.
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
  });
  const pipe = child.stdio[3] as Socket;
  /** With its exit code or signal. */
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => resolve(by ?? `exit code ${code}`));
    child.once('error', ({ message }) => resolve(message));
  }).finally(() => pipe.destroy());
  pipe.unref();
  const end = ended.then(() => true);
  while (!(await Promise.race([end, pause(10)]))) {
    const found = await readPostmaster(cluster.pgdata);
    if (found?.isReady && found.processId === child.pid) {
      child.unref();
      return { processId: found.processId, ended, stop: () => stop(child, ended) };
    }
    if (signal.aborted) await stop(child, ended);
    signal.throwIfAborted();
  }
  // On a full disk nothing was logged, and this says why.
  await log.write(`The server ended before it was ready: ${await ended}\n`);
  const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(64 * 1024), position: size });
  return buffer.toString('utf8', 0, bytesRead);
}

/**
 * Fast, where transactions are rolled back and all data is written; after 20 s immediately, where the server kills after
 * 5 s what does not end, and the next start recovers. True where that was necessary.
 */
async function stop(child: ChildProcess, ended: Promise<string>): Promise<boolean> {
  const end = ended.then(() => true);
  child.ref();
  child.kill('SIGINT');
  if (await Promise.race([end, pause(20_000, false, { ref: false })])) return false;
  child.kill('SIGQUIT');
  await Promise.race([end, pause(15_000, false, { ref: false })]);
  child.unref();
  return true;
}

/** The last fatal message, without time and process, or else the first line that is not for information. */
function reasonIn(text: string): string {
  const fatal = [...text.matchAll(/(?:FATAL|PANIC):\s+(.*)/g)].at(-1)?.[1];
  return oneLine(fatal ?? text.split('\n').find((line) => line && !line.includes(' LOG:')) ?? '');
}
