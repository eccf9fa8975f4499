import { randomBytes } from 'node:crypto';
import { migrate } from '@campaign-mirror/adapters-persistence';
import type pg from 'pg';
import type { Cleanup } from '../processes/cleanup.ts';
import { postmasterOf } from '../processes/process-figures.ts';
import { type Seed, seed } from './seed.ts';
import { type Address, createLogin, describe, openServer, query, withClient } from './server.ts';

/** A server with a filled database for each service; the one is the other's copy. */
export interface Databases {
  /** Version and what decides over its speed. */
  readonly server: string;
  /** Its first process, where it runs on this machine. */
  readonly postmaster: number | undefined;
  readonly floor: Database;
  readonly ours: Database;
  /** Another copy; to be made before anybody uses the first one. */
  copy(name: string): Promise<Database>;
}

export interface Database {
  /** For a service: what it may do there is what the service's role may. */
  readonly url: string;
  /** As the superuser, as all that follows. */
  readonly address: Address;
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** The same for several queries on one connection. */
  session<T>(act: (client: pg.Client) => Promise<T>): Promise<T>;
}

/** Of the WAL: for more than the rounds of a load write. */
const segments = 128;

/** `newSegments` leaves the segments of the WAL to be made when they are needed. */
export async function openDatabases(
  filling: Seed,
  cleanup: Cleanup,
  { newSegments = false } = {},
): Promise<Databases> {
  const admin = await openServer(cleanup, newSegments ? 0 : segments);
  const suffix = randomBytes(4).toString('hex');
  const login = await createLogin(admin, 'service', cleanup);

  const opened = (name: string): Database => {
    const { host, port } = admin;
    const address = { ...admin, database: name };
    cleanup.add(() => query(admin, `drop database if exists ${name} with (force)`));
    return {
      url: `postgres://${login.user}:${login.password}@${host}:${port}/${name}`,
      address,
      query: (text, values) => query(address, text, values),
      session: (act) => withClient(address, act),
    };
  };
  const nameOf = (name: string) => `campaign_mirror_bench_${name.replaceAll('-', '_')}_${suffix}`;
  const floor = opened(nameOf('floor'));
  await query(admin, `create database ${nameOf('floor')}`);
  await migrate({ ...admin, database: nameOf('floor') });
  await seed(floor, filling);
  const copy = async (name: string) => {
    const database = opened(nameOf(name));
    await query(admin, `create database ${nameOf(name)} template ${nameOf('floor')} strategy file_copy`);
    return database;
  };
  const ours = await copy('ours');
  return { server: await describe(admin), postmaster: await findPostmaster(admin), floor, ours, copy };
}

function findPostmaster(admin: Address): Promise<number | undefined> {
  return withClient(admin, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as backend, inet_client_port() as port');
    return postmasterOf(rows[0].backend, rows[0].port);
  });
}
