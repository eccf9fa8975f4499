import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.ts';
import { EmbeddedError, oneLine, orYourOwn } from '../programs/errors.ts';
import { surroundings } from '../programs/os-user.ts';
import { freePort } from './port.ts';
import { readPostmaster, removeStale } from './postmaster.ts';
import { type ServerSettings, serverArguments } from './server-settings.ts';

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
        `The embedded database in ${cluster.folder} does not start${cluster.user ? ` as the OS user ${cluster.user.name}` : ''} (${reasonIn(server)}): see ${logOf(cluster)}, or ${orYourOwn}.`,
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
