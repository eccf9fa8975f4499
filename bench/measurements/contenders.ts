import { roles } from '@campaign-mirror/adapters-persistence/service';
import { nodeOptions } from '../../test/support/process/service-process.ts';
import { type Database, type Databases, query } from '../database/database.ts';
import { type Running, startService } from '../machine/service.ts';
import type { Bench, Contender, Settings } from './rounds.ts';

/** A service that keeps the same contract without our code. */
export async function startFloor(
  { databases, isDivided, cleanup }: Bench,
  given?: Database,
): Promise<Contender> {
  const database = given ?? (await databases.copy());
  const tables = 'campaign_mirror.campaigns, campaign_mirror.access_keys, campaign_mirror.mirrors';
  // It reads all columns, and writes mirrors directly.
  for (const right of [
    `select on ${tables}`,
    'update on campaign_mirror.mirrors',
    'execute on function campaign_mirror.is_address',
  ])
    await query(database.admin, `grant ${right} to ${roles.service}`);
  const environment = { DATABASE_URL: database.url.href };
  const running = await startService({ script: 'floor/floor.ts', environment }, isDivided, cleanup);
  return { ...running, name: 'floor', database, isRecorded: false };
}

interface Ours {
  readonly name?: string;
  readonly settings?: Settings | undefined;
  /** The folder of another checkout of this project. */
  readonly checkout?: string | undefined;
  readonly database?: Database | undefined;
  /** How many share its port. */
  readonly processes?: number | undefined;
}

type Place = Pick<Bench, 'isDivided' | 'cleanup'> & { readonly databases: Pick<Databases, 'copy'> };

/** Starts our service like `npm start`, with these settings. */
export async function startOurs(
  { databases, isDivided, cleanup }: Place,
  { name = 'ours', settings = {}, checkout, database: given, processes = 1 }: Ours = {},
): Promise<Contender> {
  const database = given ?? (await databases.copy(checkout));
  const environment = {
    ...{ OPS_PORT: '0', REUSE_PORT: processes > 1 ? 'on' : 'off', ...settings },
    ...{ DATABASE_URL: database.url.href, RUN_MIGRATIONS: 'false' },
  };
  const program = { script: `${checkout ?? '..'}/packages/app/src/main.ts`, environment, nodeOptions };
  const first = await startService(program, isDivided, cleanup);
  const others: Running[] = [];
  while (others.length + 1 < processes)
    others.push(await startService({ ...program, port: first.port }, isDivided, cleanup));
  const end = async () => {
    await Promise.all([first, ...others].map((one) => one.end()));
  };
  const rest = { others: others.map(({ processId }) => processId), end };
  return { ...first, ...rest, name, database, isRecorded: true };
}
