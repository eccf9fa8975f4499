import { link, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine, isAlive } from '../programs/process.ts';

/** A running database server of a cluster. */
export interface Postmaster {
  processId: number;
  port: number;
  /** From the 8th line of postmaster.pid. */
  status: string;
}

/** The server in postmaster.pid, if that process is this cluster's server: a process ID alone proves nothing. */
export async function livingPostmaster(pgdata: string): Promise<Postmaster | undefined> {
  const lines = (await readLockFile(pgdata)).split('\n').map((line) => line.trim());
  // The process ID is negative in single-user mode.
  const processId = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  if (!(await isPostmasterOf(pgdata, processId))) return undefined;
  return { processId, port: Number(lines[3] ?? 0), status: lines[7] ?? 'starting' };
}

export async function isPostmasterOf(pgdata: string, processId: number): Promise<boolean> {
  if (!(processId > 0) || !isAlive(processId)) return false;
  const command = `${await commandLine(processId)} `;
  return command.includes('postgres') && command.includes(` -D ${pgdata} `);
}

/**
 * Removes a postmaster.pid that names no server of this cluster. PostgreSQL does so itself if no process has that ID,
 * but refuses to start if another program of the same OS user has it.
 */
export async function dropStaleLockFile(pgdata: string): Promise<void> {
  const file = join(pgdata, 'postmaster.pid');
  const seen = await readLockFile(pgdata);
  const age = Date.now() - ((await stat(file).catch(() => undefined))?.mtimeMs ?? Date.now());
  const processId = Math.abs(Number.parseInt(seen, 10));
  // A server that has just started may not have written it yet.
  if (Number.isNaN(processId) ? age < 2000 : !isAlive(processId)) return;
  if (await isPostmasterOf(pgdata, processId)) return;

  // Another process may do the same, and its new server write its own file: move, compare, then remove.
  const aside = `${file}.${process.pid}.${Date.now()}`;
  try {
    await rename(file, aside);
    if ((await readFile(aside, 'utf8')) !== seen) await link(aside, file).catch(() => {});
    await unlink(aside);
  } catch {
    // Another process removed it.
  }
}

/** Whether the server is shutting down, according to its lock file, and so accepts no new connections. */
export async function isStopping(pgdata: string): Promise<boolean> {
  return (await readLockFile(pgdata)).split('\n')[7]?.trim() === 'stopping';
}

/** The port of the last start, kept after the server ends, so that pools configured with it find the next server. */
export async function lastPort(pgdata: string): Promise<number | undefined> {
  const options = await readFile(join(pgdata, 'postmaster.opts'), 'utf8').catch(() => '');
  const port = /"-p" "(\d+)"/.exec(options)?.[1];
  return port === undefined ? undefined : Number(port);
}

async function readLockFile(pgdata: string): Promise<string> {
  return await readFile(join(pgdata, 'postmaster.pid'), 'utf8').catch(() => '');
}
