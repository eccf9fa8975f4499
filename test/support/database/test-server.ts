import { readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PoolConfig } from 'pg';
import { openOwnDatabase } from '../../../packages/app/src/database/embedded-database.ts';
import { dataVariable } from '../run-folder.ts';

/** A running PostgreSQL, and its user who may create roles and databases. */
export interface TestServer {
  readonly kind: string;
  readonly admin: PoolConfig;
  stop(): Promise<void>;
}

/** A container, where one is asked for; else the embedded one. */
export async function testServer(): Promise<TestServer> {
  const { TEST_DATABASE: wanted = 'embedded' } = process.env;
  if (wanted === 'container') return container();
  if (wanted === 'embedded') return embedded();
  throw new Error(`TEST_DATABASE is container or embedded, not ${wanted}`);
}

const image = process.env.TEST_POSTGRES_IMAGE ?? 'postgres:15';

async function container(): Promise<TestServer> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const started = await new PostgreSqlContainer(image)
    .withDatabase('postgres')
    .withTmpFs({ '/mirror-data': 'rw' })
    .withEnvironment({ PGDATA: '/mirror-data/cluster' })
    .withCommand(['postgres', '-c', 'fsync=off'])
    // Starting takes one to five seconds; this is for a machine that is busy.
    .withStartupTimeout(120_000)
    .withHealthCheck({
      test: ['CMD', 'pg_isready', '--host', 'localhost'],
      // For as long as it lives: four processes a second, which are usual, took a twelfth of a run's CPU time.
      interval: 2000,
      retries: 1000,
    })
    .start();
  const admin = {
    host: started.getHost(),
    port: started.getPort(),
    user: started.getUsername(),
    password: started.getPassword(),
    database: started.getDatabase(),
  };
  return { kind: `container ${image}`, admin, stop: async () => void (await started.stop()) };
}

async function embedded(): Promise<TestServer> {
  const parent = await mkdtemp(join(process.env[dataVariable] ?? tmpdir(), 'campaign-mirror-test-'));
  // The database does not run as root: another user has to pass through.
  await chmod(parent, 0o711);
  const database = await openOwnDatabase({ folder: join(parent, 'data'), settings: { fsync: 'off' } });
  // For a run that is interrupted: the server has a session of its own and would live on.
  const abandon = () => {
    const pidFile = readFileSync(join(parent, 'data', 'cluster', 'pgdata', 'postmaster.pid'), 'utf8');
    process.kill(Number(pidFile.split('\n')[0]), 'SIGQUIT');
    rmSync(parent, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', abandon);
  const stop = async () => {
    await database.close();
    process.off('exit', abandon);
    await rm(parent, { recursive: true, force: true });
  };
  return { kind: 'embedded', admin: database.address('superuser'), stop };
}
