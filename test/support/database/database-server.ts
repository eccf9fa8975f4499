import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  type DatabaseAddress,
  migrate,
  type Role,
  roles,
} from '@campaign-mirror/adapters-persistence/service';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../../packages/app/src/database/database-access.ts';
import { dataVariable } from '../run-folder.ts';
import { query } from './client.ts';

/** A database of one test, on the server of the run. */
export type TestDatabase = ReturnType<typeof opened>;

/** Passes the server's address to the processes of a run, which share it and a migrated database to copy. */
const variable = 'TEST_RUN_SERVER';
const template = 'test_template';
/** Of each role. */
const password = 'password-of-a-role';

let stopServer = async () => {};
let run: { readonly admin: pg.PoolConfig; readonly maintenance: pg.Pool } | undefined;
const open = new Set<TestDatabase>();

function running(): NonNullable<typeof run> {
  const given = process.env[variable];
  if (!given) throw new Error('the database server of the tests does not run');
  const admin: pg.PoolConfig = JSON.parse(given);
  run ??= { admin, maintenance: poolOf(admin) };
  return run;
}

export async function startDatabaseServer(): Promise<void> {
  const { TEST_DATABASE: wanted = 'embedded' } = process.env;
  const start = { container, embedded }[wanted];
  if (!start) throw new Error(`TEST_DATABASE is container or embedded, not ${wanted}`);
  const { admin, stop } = await start();
  stopServer = stop;
  process.env[variable] = JSON.stringify(admin);
  const { maintenance } = running();
  const { rows } = await maintenance.query('show server_version');
  console.log(`Database server: ${wanted}, PostgreSQL ${rows[0].server_version}`);
  for (const name of Object.values(roles)) {
    if (wanted === 'container') await maintenance.query(`create role ${name}`);
    await maintenance.query(`alter role ${name} login password '${password}'`);
  }
  if (wanted === 'container') {
    // As ops/roles.sql does in a database. New databases copy these rights.
    const revoking = `do $$ begin execute (
      select string_agg(format('revoke execute on function %s from public', oid::regprocedure), ';') from pg_proc
      where proname in ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message')); end $$`;
    await query({ ...admin, database: 'template1' }, revoking);
  }
  await create(template);
  await migrate(addressIn(template, 'owner'));
  // Only a database without connections can be copied, and an autovacuum would be one.
  await maintenance.query(`alter database ${template} allow_connections false`);
}

export async function stopDatabaseServer(): Promise<void> {
  await running().maintenance.end();
  await stopServer();
}

export async function dropDatabases(): Promise<void> {
  for (const database of open) await database.drop();
}

/** The comment in which `migrate` keeps the number of the database. A copy has another number. */
const ofThisDatabase = `
  do $$ begin execute format('comment on schema campaign_mirror is %L', regexp_replace(
    obj_description('campaign_mirror'::regnamespace), '/\\d+/', format('/%s/', (
      select oid from pg_database where datname = current_database())))); end $$`;

/** A migrated database. */
export async function freshDatabase(): Promise<TestDatabase> {
  const database = await emptyDatabase(`template ${template} strategy file_copy`);
  await database.admin.query(ofThisDatabase);
  return database;
}

/** An empty database of the owner. `how` is SQL. */
export async function emptyDatabase(how?: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await create(name, how);
  return opened(name);
}

/** For `emptyDatabase`: an encoding without some characters. */
export const latin1 = "template template0 encoding 'LATIN1' locale_provider libc locale 'C'";

async function create(name: string, how = ''): Promise<void> {
  await running().maintenance.query(`create database ${name} owner ${roles.owner} ${how}`);
}

function opened(name: string) {
  const database = {
    name,
    /** Connections of the server's admin. */
    admin: poolOf({ ...running().admin, database: name }),
    address: (role: Role) => addressIn(name, role),
    /** `by` is a proxy before the server. */
    url: (role: Role, by: { readonly host?: string; readonly port?: number } = {}) => {
      const { host, port, user, password } = { ...addressIn(name, role), ...by };
      return `postgres://${user}:${password}@${host}:${port}/${name}`;
    },
    drop: async () => {
      if (!open.delete(database)) return;
      // The end waits for connections that a failed test kept: `force` ends them.
      database.admin.end().catch(() => {});
      await running().maintenance.query(`drop database if exists ${name} with (force)`);
    },
  };
  open.add(database);
  return database;
}

function addressIn(database: string, role: Role): DatabaseAddress & { host: string; port: number } {
  const { host = 'localhost', port = 5432 } = running().admin;
  return { host, port, user: roles[role], password, database };
}

function poolOf(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ max: 30, ...config });
  // Tests cut connections on purpose.
  pool.on('error', () => {});
  return pool;
}

/** As ops/roles.sql sets them in a database, and the embedded server for all. */
const quietLog = ['log_error_verbosity=terse', 'log_parameter_max_length=0'];

async function container() {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const started = await new PostgreSqlContainer(process.env.TEST_POSTGRES_IMAGE ?? 'postgres:15')
    .withDatabase('postgres')
    .withTmpFs({ '/mirror-data': 'rw' })
    .withEnvironment({ PGDATA: '/mirror-data/cluster' })
    .withCommand(['postgres', ...['fsync=off', ...quietLog].flatMap((setting) => ['-c', setting])])
    .withStartupTimeout(120_000)
    // The default interval starts four processes a second as long as the container lives.
    .withHealthCheck({ test: ['CMD', 'pg_isready', '--host', 'localhost'], interval: 2000, retries: 1000 })
    .start();
  const [user, password, database] = [started.getUsername(), started.getPassword(), started.getDatabase()];
  const admin = { host: started.getHost(), port: started.getPort(), user, password, database };
  return { admin, stop: async () => void (await started.stop()) };
}

async function embedded() {
  const { [dataVariable]: data } = process.env;
  if (!data) throw new Error('only `npm test` runs the tests');
  const settings = { fsync: 'off', scram_iterations: '1' };
  const database = await startEmbeddedDatabase({ folder: join(data, 'database'), settings });
  return { admin: database.address('superuser'), stop: database.close };
}
