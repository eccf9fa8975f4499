import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate, roles } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { openEmbeddedDatabase } from '../../packages/app/src/embedded/database.ts';
import type { Cleanup } from './cleanup.ts';
import { postmasterOf } from './process-figures.ts';
import { type Seed, seed } from './seed.ts';

/** A server with a filled database for each service; the one is the other's copy. */
export interface Databases {
  /** Version and what decides over its speed. */
  readonly server: string;
  /** Its first process, where it runs on this machine. */
  readonly postmaster: number | undefined;
  readonly floor: Database;
  readonly ours: Database;
}

export interface Database {
  /** For a service: what it may do there is what the service's role may. */
  readonly url: string;
  /** As the superuser. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
}

interface Address {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export async function openDatabases(filling: Seed, cleanup: Cleanup): Promise<Databases> {
  const given = process.env.BENCH_DATABASE_URL;
  const admin = given ? addressOf(given) : await embeddedServer(cleanup);
  const suffix = randomBytes(4).toString('hex');
  const login = { user: `campaign_mirror_bench_${suffix}`, password: randomBytes(16).toString('hex') };
  await createLogin(admin, login, cleanup);

  const opened = (name: string): Database => {
    const { host, port } = admin;
    cleanup.add(() => query(admin, `drop database if exists ${name} with (force)`));
    return {
      url: `postgres://${login.user}:${login.password}@${host}:${port}/${name}`,
      query: (text, values) => query({ ...admin, database: name }, text, values),
    };
  };
  const floor = opened(`campaign_mirror_bench_floor_${suffix}`);
  const ours = opened(`campaign_mirror_bench_ours_${suffix}`);
  await query(admin, `create database campaign_mirror_bench_floor_${suffix}`);
  await migrate({ ...admin, database: `campaign_mirror_bench_floor_${suffix}` });
  await seed(floor, filling);
  const copied = `template campaign_mirror_bench_floor_${suffix}`;
  await query(admin, `create database campaign_mirror_bench_ours_${suffix} ${copied}`);
  const server = `${await describe(admin)} (${given ? 'BENCH_DATABASE_URL' : 'embedded'})`;
  return { server, postmaster: await findPostmaster(admin), floor, ours };
}

async function embeddedServer(cleanup: Cleanup): Promise<Address> {
  const parent = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  // Where we are root the database runs as another user, who has to pass through.
  await chmod(parent, 0o711);
  const opening = openEmbeddedDatabase({ folder: join(parent, 'data') });
  cleanup.add(async () => {
    await opening.then((database) => database.leave()).catch(() => {});
    await rm(parent, { recursive: true, force: true, maxRetries: 10 });
  });
  return (await opening).address('superuser');
}

/** A member of the service's role: that role's own password, if it is there already, stays what it is. */
async function createLogin(
  admin: Address,
  { user, password }: Pick<Address, 'user' | 'password'>,
  cleanup: Cleanup,
): Promise<void> {
  const known = await query(admin, 'select from pg_roles where rolname = $1', [roles.service]);
  if (known.length === 0) {
    cleanup.add(() => query(admin, `drop role if exists ${roles.service}`));
    await query(admin, `create role ${roles.service}`);
  }
  cleanup.add(() => query(admin, `drop role if exists ${user}`));
  await query(admin, `create role ${user} login password '${password}' in role ${roles.service}`);
}

async function describe(admin: Address): Promise<string> {
  const setting = (name: string) => `${name} ' || current_setting('${name}')`;
  const [row] = await query<{ text: string }>(
    admin,
    `select 'PostgreSQL ' || current_setting('server_version') || ', ${setting('fsync')} || ', ${setting('synchronous_commit')} as text`,
  );
  return row?.text ?? '';
}

function findPostmaster(admin: Address): Promise<number | undefined> {
  return withClient(admin, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as backend, inet_client_port() as port');
    return postmasterOf(rows[0].backend, rows[0].port);
  });
}

function addressOf(text: string): Address {
  const url = new URL(text);
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username || 'postgres'),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || 'postgres',
  };
}

function query<Row extends pg.QueryResultRow>(
  address: Address,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  return withClient(address, async (client) => (await client.query<Row>(text, values)).rows);
}

async function withClient<T>(address: Address, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 10_000, query_timeout: 120_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await act(client);
  } finally {
    await client.end().catch(() => {});
  }
}
