import { randomBytes } from 'node:crypto';
import { migrate, type Role } from '@campaign-mirror/adapters-persistence';
import type pg from 'pg';
import type { Cleanup } from '../processes/cleanup.ts';
import { postmasterOf } from '../processes/process-figures.ts';
import { type Address, type Queries, query, urlOf, withClient } from './queries.ts';
import { type Seed, seed } from './seed.ts';
import { createLogin, describe, openServer } from './server.ts';

/** A server with a database, and copies of it. */
export interface Databases {
  /** Version and what decides over its speed. */
  readonly server: string;
  /** Its first process, where it runs on this machine. */
  readonly postmaster: number | undefined;
  readonly first: Database;
  /** To be made before anybody uses the first one. */
  copy(): Promise<Database>;
}

export interface Database extends Queries {
  /** What may be done there is what the role may. */
  readonly url: string;
  /** As the superuser, as all that follows. */
  readonly address: Address;
  /** The same for several queries on one connection. */
  session<T>(act: (client: pg.Client) => Promise<T>): Promise<T>;
}

interface DatabaseOptions {
  /** Without it the databases are up to date, and empty. */
  readonly filling?: Seed;
  /** For whom the address is; else for a service. */
  readonly role?: Role;
  /** Leaves the segments of the WAL to be made when they are needed. */
  readonly newSegments?: boolean;
}

/** Of the WAL: for more than the rounds of a load write. */
const segments = 128;

export async function openDatabases(
  { filling, role = 'service', newSegments = false }: DatabaseOptions,
  cleanup: Cleanup,
): Promise<Databases> {
  const admin = await openServer(cleanup, newSegments || !filling ? 0 : segments);
  const prefix = `campaign_mirror_bench_${randomBytes(4).toString('hex')}`;
  const login = await createLogin(admin, role, cleanup);
  let count = 0;

  const created = async (how = ''): Promise<Database> => {
    count += 1;
    const name = `${prefix}_${count}`;
    const address = { ...admin, database: name };
    cleanup.add(() => query(admin, `drop database if exists ${name} with (force)`));
    await query(admin, `create database ${name} ${how}`);
    return {
      url: urlOf({ ...address, ...login }),
      address,
      query: (text, values) => query(address, text, values),
      session: (act) => withClient(address, act),
    };
  };
  const first = await created();
  await migrate(first.address);
  if (filling) await seed(first, filling);
  return {
    server: await describe(admin),
    postmaster: await first.session(async (client) => {
      const { rows } = await client.query('select pg_backend_pid() as backend, inet_client_port() as port');
      return postmasterOf(rows[0].backend, rows[0].port);
    }),
    first,
    copy: () => created(`template ${first.address.database} strategy file_copy`),
  };
}
