import { randomBytes } from 'node:crypto';
import { type DatabaseAddress, migrate, type Role, roles } from '@campaign-mirror/adapters-persistence';
import pg from 'pg';
import { type TestServer, testServer } from './test-server.ts';

/** A database of a test's own, on the run's server. */
export interface TestDatabase {
  readonly name: string;
  /** Connections of the server's admin, who may do what no role of ours may. */
  readonly admin: pg.Pool;
  address(role: Role): DatabaseAddress & { host: string; port: number };
  /** The same for a process that takes a `DATABASE_URL`. */
  url(role: Role): string;
  drop(): Promise<void>;
}

/** What the run shares: a server, a password for each role, a migrated database to copy. */
interface Run {
  readonly server: TestServer;
  readonly maintenance: pg.Pool;
  readonly password: string;
  readonly prefix: string;
  readonly open: Set<TestDatabase>;
}

let run: Run | undefined;
let databases = 0;

export async function startDatabaseServer(): Promise<void> {
  const server = await testServer();
  const suffix = randomBytes(4).toString('hex');
  run = {
    server,
    maintenance: poolOf(server.admin),
    password: randomBytes(16).toString('hex'),
    prefix: `campaign_mirror_test_${suffix}`,
    open: new Set(),
  };
  const { rows } = await run.maintenance.query('show server_version');
  console.log(`Database server: ${server.kind}, PostgreSQL ${rows[0].server_version}`);
  await createRoles(run);
  await create(run, `${run.prefix}_template`, 'owner');
  await migrate(addressIn(run, `${run.prefix}_template`, 'owner'));
}

export async function stopDatabaseServer(): Promise<void> {
  if (!run) return;
  const { server, maintenance, open, prefix } = run;
  try {
    for (const database of open) await database.drop();
    await maintenance.query(`drop database if exists ${prefix}_template with (force)`);
    await maintenance.end();
  } finally {
    run = undefined;
    await server.stop();
  }
}

/** A migrated database, made in milliseconds. */
export async function freshDatabase(): Promise<TestDatabase> {
  const now = running();
  const name = nextName(now);
  const copied = `template ${now.prefix}_template strategy file_copy`;
  try {
    await create(now, name, 'owner', copied);
  } catch (error) {
    // Somebody looks into the template (an autovacuum, another session): then the long way.
    if ((error as { code?: string }).code !== '55006') throw error;
    await create(now, name, 'owner');
    await migrate(addressIn(now, name, 'owner'));
  }
  return opened(now, name);
}

/** A database without anything of ours, which belongs to the role or to the server's admin; `how` as SQL has it. */
export async function emptyDatabase(owner: Role | 'admin', how?: string): Promise<TestDatabase> {
  const now = running();
  const name = nextName(now);
  await create(now, name, owner, how);
  return opened(now, name);
}

/** For `emptyDatabase`: one that can not hold every character. */
export const latin1 = "template template0 encoding 'LATIN1' locale_provider libc locale 'C'";

/** Where the server listens, for what stands between it and us. */
export function serverAddress(): { host: string; port: number } {
  const { host = 'localhost', port = 5432 } = running().server.admin;
  return { host, port };
}

function running(): Run {
  if (!run) throw new Error('the database server of the tests does not run');
  return run;
}

function nextName({ prefix }: Run): string {
  databases += 1;
  return `${prefix}_${databases}`;
}

async function create({ maintenance }: Run, name: string, owner: Role | 'admin', how = ''): Promise<void> {
  const whose = owner === 'admin' ? '' : `owner ${roles[owner]}`;
  await maintenance.query(`create database ${name} ${whose} ${how}`);
}

function opened(now: Run, name: string): TestDatabase {
  const admin = poolOf({ ...now.server.admin, database: name });
  const database: TestDatabase = {
    name,
    admin,
    address: (role) => addressIn(now, name, role),
    url: (role) => {
      const { host, port, user, password } = addressIn(now, name, role);
      return `postgres://${user}:${password}@${host}:${port}/${name}`;
    },
    drop: async () => {
      if (!now.open.delete(database)) return;
      // A connection that a failed test kept would hold the end up for ever: force ends it.
      admin.end().catch(() => {});
      await now.maintenance.query(`drop database if exists ${name} with (force)`);
    },
  };
  now.open.add(database);
  return database;
}

function addressIn({ server, password }: Run, database: string, role: Role) {
  const { host = 'localhost', port = 5432 } = server.admin;
  return { host, port, user: roles[role], password, database };
}

function poolOf(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ max: 30, ...config });
  // A connection that a test cuts on purpose is not to end the run.
  pool.on('error', () => {});
  return pool;
}

/** Roles belong to a server: runs that share one take turns, and an admin who is no superuser joins each. */
async function createRoles({ maintenance, password }: Run): Promise<void> {
  const client = await maintenance.connect();
  try {
    await client.query('begin');
    await client.query("select pg_advisory_xact_lock(hashtext('campaign-mirror test roles'))");
    for (const name of Object.values(roles)) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name]);
      const verb = rowCount === 0 ? 'create' : 'alter';
      await client.query(`${verb} role ${name} login password '${password}'`);
      const { rows } = await client.query("select current_setting('is_superuser') as super");
      if (rows[0].super === 'off') await client.query(`grant ${name} to current_user`);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
}
