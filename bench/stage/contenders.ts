import { roles } from '@campaign-mirror/adapters-persistence';
import { freePort } from '../../packages/app/src/embedded/port.ts';
import type { Database } from '../databases/database.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import type { Cores } from '../processes/cores.ts';
import { nodeOptions } from '../processes/node-options.ts';
import { startService } from '../processes/processes.ts';
import type { Contender } from './measure.ts';

/** Programs on npm's usual stacks that carry out the same contract, by the names of their files. */
export const peerNames: readonly string[] = ['fastify', 'koa', 'mikro-orm'];

/** Its two statements can not tell a campaign that is missing from another owner's. */
export async function startFloor(database: Database, cores: Cores | undefined, cleanup: Cleanup) {
  return start('floor', 'floors/floor.ts', database, cores, cleanup, { 404: '403' });
}

/** With our own two statements. */
export async function startGuaranteedFloor(database: Database, cores: Cores | undefined, cleanup: Cleanup) {
  return start('floor, guaranteed', 'floors/guaranteed.ts', database, cores, cleanup);
}

/** With our persistence adapter. */
export async function startBatchedFloor(database: Database, cores: Cores | undefined, cleanup: Cleanup) {
  return start('floor, batched', 'floors/batched.ts', database, cores, cleanup);
}

/** As so many processes. */
export async function startFloorWorkers(workers: number, database: Database, cleanup: Cleanup) {
  const name = `floor ×${workers}`;
  const environment = { WORKERS: String(workers) };
  return start(name, 'floors/workers.ts', database, undefined, cleanup, { 404: '403' }, environment);
}

/** An ORM reads all columns, ours may see some. */
export async function startPeer(
  name: string,
  database: Database,
  cores: Cores | undefined,
  cleanup: Cleanup,
) {
  const tables = 'campaign_mirror.campaigns, campaign_mirror.access_keys';
  await database.query(`grant select on ${tables} to ${roles.service}`);
  return start(name, `peers/${name}.ts`, database, cores, cleanup);
}

async function start(
  name: string,
  script: string,
  database: Database,
  cores: Cores | undefined,
  cleanup: Cleanup,
  otherwise?: Contender['otherwise'],
  more: Readonly<Record<string, string>> = {},
): Promise<Contender> {
  const environment = { ...more, DATABASE_URL: database.url };
  const program = { script, port: await freePort(), environment };
  const running = await startService(program, cores, cleanup);
  return { ...running, name, database, ...(otherwise && { otherwise }) };
}

export interface OwnOptions {
  readonly settings: Readonly<Record<string, string>>;
  readonly profile?: string;
}

/** As `npm start` does it, with the default settings but for those of the command line. */
export async function startOurs(
  database: Database,
  { settings, profile }: OwnOptions,
  cores: Cores | undefined,
  cleanup: Cleanup,
  name = 'ours',
): Promise<Contender> {
  const program = {
    script: '../packages/app/src/main.ts',
    port: await freePort(),
    environment: {
      // All refused keys come from one address here: they are counted, and never too many.
      FAILED_KEY_LIMIT: '1000000/1s',
      ...settings,
      DATABASE_URL: database.url,
      RUN_MIGRATIONS: 'false',
      OPS_PORT: String(await freePort()),
    },
    nodeOptions: [...nodeOptions, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
  };
  return { ...(await startService(program, cores, cleanup)), name, database };
}
