import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
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
import { projectFolder } from '../../../packages/app/src/database/embedded-database.ts';
import {
  isPostmasterOf,
  livingPostmaster,
} from '../../../packages/embedded-postgres/src/cluster/postmaster.ts';

type Role = keyof typeof roles;

/** Shared memory as a file of the data folder: who is killed leaves nothing in the system's. */
export const settings = { fsync: 'off', dynamic_shared_memory_type: 'mmap' };
/** What every member of a suite's databases says alike. */
export const usual = { settings, project: projectFolder, roles };
export const isRoot = process.getuid?.() === 0;

interface Happening {
  event?: string;
  detail?: Record<string, unknown>;
  done?: string;
  failed?: string;
  name?: string;
  address?: DatabaseAddress;
}

/** What happened, in order; every event counts once for those who wait. */
class Happenings {
  readonly all: Happening[] = [];
  #taken = 0;

  add(happening: Happening): void {
    this.all.push(happening);
  }

  names(): string[] {
    return this.all.flatMap(({ event }) => event ?? []);
  }

  /** Waits for the next event or answer of one of these names that nobody waited for yet. */
  async next(...names: string[]): Promise<Happening> {
    return await until(`${names} after ${this.names()}`, () => {
      const fits = (one: Happening, at: number) =>
        at >= this.#taken && names.includes(one.event ?? one.done ?? 'failed');
      const at = this.all.findIndex(fits);
      if (at < 0) return undefined;
      this.#taken = at + 1;
      return this.all[at];
    });
  }
}

export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 40_000; Date.now() < deadline; await pause(5)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
  }
  throw new Error(`waited in vain for ${what}`);
}

export interface Opened extends EmbeddedDatabase<Role> {
  record: Happenings;
  givenUp: Promise<Error>;
}

export interface Member {
  process: ChildProcess;
  record: Happenings;
  /** Sends the order and waits for its end; rejects with the member's error. */
  order(what: 'service' | 'leave'): Promise<void>;
  kill(): Promise<void>;
}

/** Folders, processes and databases of a suite; `clean` ends and removes them all, whatever went wrong. */
export class Sandbox {
  #roots: string[] = [];
  #members: Member[] = [];
  #opened: Opened[] = [];

  /** A path inside a folder of the suite's, through which any OS user may pass; the path itself does not exist. */
  async folder(name = 'data'): Promise<string> {
    const root = await mkdtemp(join(tmpdir(), 'campaign-mirror-embedded-'));
    await chmod(root, 0o711);
    this.#roots.push(root);
    return join(root, name);
  }

  async open(folder: string, options: Partial<EmbeddedOptions<Role>> = {}): Promise<Opened> {
    const record = new Happenings();
    const givenUp = Promise.withResolvers<Error>();
    const database = await openEmbeddedDatabase({
      ...usual,
      folder,
      onEvent: (event, detail) => record.add({ event, detail }),
      onGivenUp: givenUp.resolve,
      ...options,
    });
    const opened = { ...database, record, givenUp: givenUp.promise };
    this.#opened.push(opened);
    return opened;
  }

  /** The same in a process of its own; resolves once that process runs. */
  member(folder: string, shell = ''): Member {
    const script = fileURLToPath(new URL('embedded-member.ts', import.meta.url));
    const options = JSON.stringify({ ...usual, folder });
    const child = spawn('/bin/sh', ['-c', `${shell} exec "$0" "$@"`, process.execPath, script, options], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const record = new Happenings();
    child.on('message', (message: Happening) => record.add(message));
    const ended = once(child, 'exit');
    const member: Member = {
      process: child,
      record,
      order: async (what) => {
        child.send(what);
        const { failed } = await record.next(what, 'failed');
        if (failed !== undefined) throw new Error(failed);
      },
      kill: async () => {
        child.kill('SIGKILL');
        await ended;
      },
    };
    this.#members.push(member);
    return member;
  }

  async openedMember(folder: string): Promise<Member> {
    const member = this.member(folder);
    await member.record.next('open');
    return member;
  }

  async clean(): Promise<void> {
    for (const member of this.#members.splice(0)) await member.kill();
    for (const opened of this.#opened.splice(0)) await opened.leave();
    for (const root of this.#roots.splice(0)) {
      for (const name of await readdir(root, { recursive: true }))
        if (name.endsWith('postmaster.pid')) await endServer(join(root, name, '..'));
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    }
  }
}

async function endServer(pgdata: string): Promise<void> {
  const living = await livingPostmaster(pgdata);
  if (living !== undefined) await signalServer(pgdata, 'SIGQUIT');
}

export const pgdataOf = (folder: string) => join(folder, 'cluster', 'pgdata');

/** Sends the signal to the living server and waits for its end. */
export async function signalServer(pgdata: string, signal: NodeJS.Signals): Promise<void> {
  const living = await livingPostmaster(pgdata);
  if (living === undefined) throw new Error('no living server');
  process.kill(living.processId, signal);
  await until(
    'the end of the server',
    async () => !(await isPostmasterOf(pgdata, living.processId)) || undefined,
  );
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

/** The registrations in the database, as `<process>:<1 member, 2 service>`. */
export async function registrations(database: EmbeddedDatabase<Role>): Promise<string[]> {
  const rows = await query(
    { ...database.address('superuser'), database: 'postgres' },
    `select a.application_name as name, l.objid::int as what from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted order by 1, 2`,
  );
  return rows.map(({ name, what }) => `${/\d+$/.exec(name)?.[0]}:${what}`);
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
