import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { roles } from '@campaign-mirror/adapters-persistence/sql';
import {
  type DatabaseAddress,
  type EmbeddedDatabase,
  EmbeddedError,
  type EmbeddedOptions,
  openEmbeddedDatabase,
} from '@campaign-mirror/embedded-postgres';
import { expect } from 'chai';
import pg from 'pg';

type Role = keyof typeof roles;

/** Shared memory as a file of the data folder: who is killed leaves nothing in the system's. */
export const settings = { fsync: 'off', dynamic_shared_memory_type: 'mmap' };
export const isRoot = process.getuid?.() === 0;

export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 40_000; Date.now() < deadline; await pause(5)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
  }
  throw new Error(`waited in vain for ${what}`);
}

export interface Opened extends EmbeddedDatabase<Role> {
  readonly events: string[];
  /** Resolves with the error when the server ended by itself. */
  readonly lost: Promise<Error>;
}

/** A process that has the database open. */
export interface Member {
  readonly process: ChildProcess;
  /** What it says first. */
  readonly said: Promise<{ address?: DatabaseAddress; failed?: string; name?: string }>;
  /** Closes the database, and ends. */
  close(): Promise<void>;
  kill(): Promise<void>;
}

/** Folders, processes and databases of a suite; `clean` ends and removes them all, whatever went wrong. */
export class Sandbox {
  readonly #roots: string[] = [];
  readonly #members: Member[] = [];
  readonly #opened: Opened[] = [];

  /** A path inside a folder of the suite's, through which any OS user may pass; the path itself does not exist. */
  async folder(name = 'data'): Promise<string> {
    const root = await mkdtemp(join(tmpdir(), 'campaign-mirror-embedded-'));
    await chmod(root, 0o711);
    this.#roots.push(root);
    return join(root, name);
  }

  async open(folder: string, options: Partial<EmbeddedOptions<Role>> = {}): Promise<Opened> {
    const events: string[] = [];
    const lost = Promise.withResolvers<Error>();
    const onEvent = (event: string) => void events.push(event);
    const usual = { roles, folder, settings, onEvent, onLost: lost.resolve };
    const opened = { ...(await openEmbeddedDatabase({ ...usual, ...options })), events, lost: lost.promise };
    this.#opened.push(opened);
    return opened;
  }

  /** The same in a process of its own. */
  member(folder: string, { service = false, shell = '' } = {}): Member {
    const script = fileURLToPath(new URL('embedded-member.ts', import.meta.url));
    const options = JSON.stringify({ roles, folder, settings, service });
    const child = spawn('/bin/sh', ['-c', `${shell} exec "$0" "$@"`, process.execPath, script, options], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const ended = once(child, 'exit');
    const end = async (how: () => void) => {
      if (child.exitCode === null && child.signalCode === null) how();
      await ended;
    };
    const member = {
      process: child,
      said: once(child, 'message').then(([message]) => message),
      close: () => end(() => child.send('close')),
      kill: () => end(() => child.kill('SIGKILL')),
    };
    this.#members.push(member);
    return member;
  }

  async clean(): Promise<void> {
    for (const member of this.#members.splice(0)) await member.kill();
    for (const opened of this.#opened.splice(0)) await opened.close();
    for (const root of this.#roots.splice(0))
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
  }
}

export const pgdataOf = (folder: string) => join(folder, 'cluster', 'pgdata');

/** The process in postmaster.pid; undefined without one. */
export async function serverOf(folder: string): Promise<number | undefined> {
  const text = await readFile(join(pgdataOf(folder), 'postmaster.pid'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text.split('\n')[0]);
}

export async function query(address: DatabaseAddress, text: string, values: unknown[] = []) {
  const client = new pg.Client({ ...address, ssl: false });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(text, values)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The message of a EmbeddedError that is fit for a user: one line, of what is wrong and what to do. */
export async function clearError(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).instanceOf(EmbeddedError);
  const { message } = error as EmbeddedError;
  expect(message).match(/^\S.*\.$/);
  return message;
}
