import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import { advice, EmbeddedError, oneLine } from './errors.ts';
import { processOptions } from './programs.ts';

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

/** What the server writes about itself into postmaster.pid, which remains if the server is killed. */
export async function readPostmaster(pgdata: string) {
  const text = await readFile(pidFile(pgdata), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n').map((line) => line.trim());
  return { processId: Number(lines[0]), port: Number(lines[3]), isReady: lines[7] === 'ready' };
}

/**
 * Removes a postmaster.pid that names another program, with which PostgreSQL would refuse to start: in a container that was
 * started again, numbers of processes are soon the same. Only Linux shows it. PostgreSQL itself decides about others.
 */
async function removeStale(pgdata: string): Promise<void> {
  const server = await readPostmaster(pgdata);
  const words = await readFile(`/proc/${server?.processId}/cmdline`, 'utf8').catch(() => '');
  if (words !== '' && !words.includes(`\0-D\0${pgdata}\0`)) await rm(pidFile(pgdata));
}

const pidFile = (pgdata: string) => join(pgdata, 'postmaster.pid');

/** Settings of the server by their names, as in postgresql.conf. */
export type ServerSettings = Record<string, string>;

/** They override postgresql.conf, so that an update also reaches existing clusters. */
const ownSettings: ServerSettings = {
  // The server listens on this machine only, and not on a socket file, whose path is limited to about 100 bytes.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // No statement and no parameter reaches the log: these settings leave out plain errors, whose first line may quote a
  // parameter (the caller reports them), and `terse` the DETAIL of a crash, which is the running statement.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_autovacuum_min_duration: '-1',
  log_checkpoints: 'off',
};

export const logOf = ({ home }: Cluster) => join(home, 'postgresql.log');

/**
 * Starts the server of the cluster as a child, and waits until it accepts connections. Call it with the lock.
 * @throws EmbeddedError; a file system error; the signal's reason, when the server has been stopped again
 */
export async function startServer(
  cluster: Cluster,
  program: string,
  settings: ServerSettings,
  signal: AbortSignal,
) {
  const options = Object.entries({ ...ownSettings, ...settings }).map(
    ([name, value]) => `--${name}=${value}`,
  );
  // The remaining processes of a killed server may take a minute to end.
  for (const deadline = Date.now() + 60_000; ; await pause(100)) {
    signal.throwIfAborted();
    await removeStale(cluster.pgdata);
    const port = await freePort();
    const words = ['-D', cluster.pgdata, '-p', `${port}`, ...options];
    const result = await start(cluster, program, words, signal);
    if (typeof result !== 'string') return { ...result, port };
    // They still end, or another program has taken the port meanwhile.
    const mayPass = /lock file "postmaster.pid"|is still in use|could not bind/.test(result);
    if (mayPass && Date.now() <= deadline) continue;
    const as = cluster.user ? ` as the OS user ${cluster.user.name}` : '';
    throw new EmbeddedError(
      `The embedded database in ${cluster.folder} does not start${as} (${reasonIn(result)}): see ${logOf(cluster)}, or ${advice.otherServer}.`,
    );
  }
}

/**
 * Beside the program runs a shell that reads from a pipe of this process. The pipe ends with this process, even if that is
 * killed; then the shell stops the server.
 */
const endingWithUs = `(exec sh -c 'read -r _; kill -INT "$0"' $$ <&3 2> /dev/null &); exec "$0" "$@" 3<&-`;

/** The server; or, if it ended before it was ready, what it has logged. */
async function start(cluster: Cluster, program: string, words: string[], signal: AbortSignal) {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  await using log = await open(logOf(cluster), O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  const { size } = await log.stat();
  const child = spawn('/bin/sh', ['-c', endingWithUs, program, ...words], {
    ...processOptions(cluster.user),
    // A session of its own, so that Ctrl-C in a terminal does not reach it.
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'pipe'],
  });
  const pipe = child.stdio[3] as Socket;
  /** Resolves with the exit code or the signal. */
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, by) => resolve(by ?? `exit code ${code}`));
    child.once('error', ({ message }) => resolve(message));
  }).finally(() => pipe.destroy());
  pipe.unref();
  const end = ended.then(() => true);
  while (!(await Promise.race([end, pause(10)]))) {
    const server = await readPostmaster(cluster.pgdata);
    if (server?.isReady && server.processId === child.pid) {
      child.unref();
      return { processId: server.processId, ended, stop: () => stop(child, ended) };
    }
    if (signal.aborted) await stop(child, ended);
    signal.throwIfAborted();
  }
  // On a full disk the server has logged nothing; this error says why.
  await log.write(`The server ended before it was ready: ${await ended}\n`);
  const { buffer, bytesRead } = await log.read({ buffer: Buffer.alloc(64 * 1024), position: size });
  return buffer.toString('utf8', 0, bytesRead);
}

/** A fast shutdown rolls transactions back and writes all data. One that takes longer than 35 s is not waited for. */
async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.ref();
  child.kill('SIGINT');
  await Promise.race([ended, pause(35_000, undefined, { ref: false })]);
  child.unref();
}

/** The last fatal message, without its time and process; if there is none, the first line that is not for information. */
function reasonIn(text: string): string {
  const fatal = [...text.matchAll(/(?:FATAL|PANIC):\s+(.*)/g)].at(-1)?.[1];
  return oneLine(fatal ?? text.split('\n').find((line) => line && !line.includes(' LOG:')) ?? '');
}
