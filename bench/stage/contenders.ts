import { resolve } from 'node:path';
import { roles } from '@campaign-mirror/adapters-persistence';
import { freePort } from '@campaign-mirror/embedded-postgres';
import type { Database } from '../databases/database.ts';
import type { Cleanup } from '../processes/cleanup.ts';
import type { Settings } from '../processes/command-line.ts';
import type { Cores } from '../processes/cores.ts';
import { nodeOptions } from '../processes/node-options.ts';
import { type Program, type Running, startService } from '../processes/processes.ts';

/** A service that is measured, and its database. */
export interface Contender extends Running {
  readonly name: string;
  readonly database: Database;
  /** What it answers where the contract says something else. */
  readonly otherwise?: Settings | undefined;
  /** Whether it leaves a history as ours does. */
  readonly isRecorded: boolean;
}

/** Programs that carry out the same contract. */
const programs = {
  // Its two statements cannot tell a campaign that is missing from another owner's.
  floor: { script: 'floors/floor.ts', otherwise: { 404: '403' }, isRecorded: false },
  'floor, batched': { script: 'floors/batched.ts', isRecorded: true },
  fastify: { script: 'peers/fastify.ts', isRecorded: false },
  koa: { script: 'peers/koa.ts', isRecorded: false },
  'mikro-orm, tuned': { script: 'peers/mikro-orm-tuned.ts', isRecorded: false },
  'mikro-orm': { script: 'peers/mikro-orm.ts', isRecorded: false },
} satisfies Record<string, { script: string; otherwise?: Settings; isRecorded: boolean }>;

export type OtherName = keyof typeof programs;

export async function startOther(
  name: OtherName,
  database: Database,
  cores: Cores | undefined,
  cleanup: Cleanup,
  several?: number | undefined,
): Promise<Contender> {
  // An ORM reads all columns, ours may see some.
  const tables = 'campaign_mirror.campaigns, campaign_mirror.access_keys';
  await database.query(`grant select on ${tables} to ${roles.service}`);
  const { script, ...what } = programs[name];
  const program = asSeveral({ script, environment: { DATABASE_URL: database.url } }, several);
  const shown = several === undefined ? name : `${name}, ${several} processes`;
  return { ...(await startService(program, cores, cleanup)), name: shown, database, ...what };
}

/** On one port. */
function asSeveral(program: Program, several: number | undefined): Program {
  if (several === undefined) return program;
  const more = { PROGRAM: resolve(import.meta.dirname, '..', program.script), PROCESSES: String(several) };
  return { ...program, script: 'processes/several.ts', environment: { ...program.environment, ...more } };
}

/** As `npm start` does it, with the default settings but for these. The profile's folder gets a CPU profile; a checkout is another one of this project. */
export async function startOurs(
  database: Database,
  settings: Settings,
  cores: Cores | undefined,
  cleanup: Cleanup,
  {
    name = 'ours',
    profile = '',
    checkout = '..',
    several,
  }: Partial<Record<'name' | 'profile' | 'checkout', string | undefined>> & {
    several?: number | undefined;
  } = {},
): Promise<Contender> {
  const program = {
    script: `${checkout}/packages/app/src/main.ts`,
    environment: {
      // All refused keys come from one address here: they are counted, and never too many.
      FAILED_KEY_LIMIT: '1000000/1s',
      OPS_PORT: String(await freePort()),
      ...settings,
      DATABASE_URL: database.url,
      RUN_MIGRATIONS: 'false',
    },
    nodeOptions: [...nodeOptions, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [])],
  };
  return {
    ...(await startService(asSeveral(program, several), cores, cleanup)),
    name,
    database,
    isRecorded: true,
  };
}
