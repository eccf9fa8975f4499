import { type DatabaseAddress, openDatabase, type PoolLimits } from '@campaign-mirror/adapters-persistence';
import { type MirrorAddress, SetCampaignMirror } from '@campaign-mirror/domain';
import { freshDatabase } from '../database/database-server.ts';
import { patient } from '../database/patient.ts';
import { rival } from '../database/rival.ts';
import { hotPathBy, statementsBy } from './hot-paths.ts';
import { postgresWorld } from './postgres-world.ts';
import { change, type Live, liveCampaign } from './world.ts';

/** As many as are asked for. */
type ManyLives<Count extends number, Made extends Live[] = []> = number extends Count
  ? Live[]
  : Made['length'] extends Count
    ? Made
    : ManyLives<Count, [...Made, Live]>;

export interface GroupedOptions extends Partial<PoolLimits> {
  /** Campaigns that are waited for at once. */
  readonly maxLocked?: number;
  /** In milliseconds. */
  readonly timeout?: number;
}

export type Service = Awaited<ReturnType<typeof serviceOn>>;

/** The use case on PostgreSQL, as a process of the service has it. */
export async function serviceOn(address: DatabaseAddress, options: GroupedOptions = {}) {
  const limits = { ...patient, ...options };
  const { pool, close } = await openDatabase(address, limits);
  const { maxLocked = Math.max(1, Math.floor(limits.size / 2)), timeout = limits.waitTimeout } = options;
  /** The names of the statements that were run. */
  const ran: string[] = [];
  const recorded = statementsBy(pool, async (run, { name }) => {
    const rows = await run();
    ran.push(name);
    return rows;
  });
  const { campaigns, identity } = hotPathBy(pool, { statements: recorded, maxLocked, timeout });
  const useCase = new SetCampaignMirror(campaigns, identity);
  const set = ({ key, seen }: Pick<Live, 'seen' | 'key'>, to: string, requestId = 'request-1') =>
    useCase.execute({ credential: key, campaign: seen.id, address: to, requestId });
  /** By the port, so that calls of one turn come to the same batch. */
  const setMirror = async ({ seen, by }: Pick<Live, 'seen' | 'by'>, to: string, requestId?: string) => {
    const result = await campaigns.setMirror(seen, change(by, to as MirrorAddress, requestId));
    return result.kind === 'mirror-set' ? result.mirror : undefined;
  };
  return { pool, campaigns, identity, ran, set, setMirror, close };
}

export type Grouped = Awaited<ReturnType<typeof grouped>>;

/** The same in a database of its own, with campaigns for it to update. */
export async function grouped() {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const another = async (of: GroupedOptions = {}) => {
    const service = await serviceOn(database.address('service'), of);
    all.unshift(service);
    return service;
  };
  const all: { close(): Promise<unknown> }[] = [world];
  const service = await another();
  const campaign = () => liveCampaign(world);
  return {
    database,
    world,
    ...service,
    campaign,
    /** A further process of the service. */
    another,
    live: async <Count extends number>(count: Count) =>
      (await Promise.all(Array.from({ length: count }, campaign))) as ManyLives<Count>,
    /** Somebody else, whose open transaction has run this. */
    hold: (text: string, ...values: unknown[]) => rival(database, text, ...values),
    /** In the order of their numbers; what has the same `transaction` was committed together. */
    history: async (...lives: readonly Live[]) => {
      const { rows } = await database.admin.query(
        'select id, xmin from campaign_mirror.mirror_history order by id',
      );
      const transactions = new Map(rows.map(({ id, xmin }) => [Number(id), xmin]));
      const entries = await Promise.all(lives.map(({ seen }) => world.others.history(seen.id)));
      return entries.flat().map((entry) => ({ ...entry, transaction: transactions.get(entry.id) }));
    },
    close: async () => {
      for (const one of all) await one.close();
      await database.drop();
    },
  };
}

export const setAddress = 'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1';
export const transfer = 'update campaign_mirror.campaigns set owner_id = $2 where id = $1';
