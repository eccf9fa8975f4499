import {
  type DatabaseAddress,
  type HotPathObserver,
  openDatabase,
  openHotPath,
  type PoolLimits,
} from '@campaign-mirror/adapters-persistence';
import { type MirrorAddress, SetCampaignMirror } from '@campaign-mirror/domain';
import { freshDatabase } from '../database/database-server.ts';
import { patient } from '../database/patient.ts';
import { rival } from '../database/rival.ts';
import { postgresWorld } from './postgres-world.ts';
import { change, type Live, liveCampaign } from './world.ts';

/** A tuple, so that a test can destructure it. */
type Lives = [Live, Live, Live, Live, Live, Live, Live, Live, ...Live[]];

export type Service = Awaited<ReturnType<typeof serviceOn>>;

/** The use case on PostgreSQL, as in a process of the service. */
export async function serviceOn(address: DatabaseAddress, options: Partial<PoolLimits> = {}) {
  const limits = { ...patient, ...options };
  const { pool, close } = await openDatabase(address, limits);
  /** The names of the statements that succeeded. */
  const ran: string[] = [];
  const observer: HotPathObserver = {
    batch: () => {},
    refused: () => {},
    ended: (name, _, error) => void (error ?? ran.push(name)),
  };
  const { campaigns, identity } = openHotPath(pool, { observer, limits });
  const useCase = new SetCampaignMirror(campaigns, identity);
  const set = ({ key, seen }: Pick<Live, 'seen' | 'key'>, to: string, requestId = 'request-1') =>
    useCase.execute({ credential: key, campaign: seen.id, address: to, requestId });
  /** Calls the port, so that the calls of one turn share a batch. */
  const setMirror = async ({ seen, by }: Pick<Live, 'seen' | 'by'>, to: string, requestId?: string) => {
    const result = await campaigns.setMirror(seen, change(by, to as MirrorAddress, requestId));
    return result.kind === 'mirror-set' ? result.mirror : undefined;
  };
  return { pool, campaigns, identity, ran, set, setMirror, close };
}

export type Grouped = Awaited<ReturnType<typeof grouped>>;

/** A service on a fresh database, with campaigns for it to update. */
export async function grouped() {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const all: { close(): Promise<unknown> }[] = [world];
  /** A further process of the service. */
  const another = async (options: Partial<PoolLimits> = {}) => {
    const service = await serviceOn(database.address('service'), options);
    all.unshift(service);
    return service;
  };
  const service = await another();
  const campaign = () => liveCampaign(world);
  return {
    database,
    world,
    ...service,
    campaign,
    another,
    live: async (count: number) => (await Promise.all(Array.from({ length: count }, campaign))) as Lives,
    /** Opens a rival's transaction, and runs this in it. */
    hold: (text: string, ...values: unknown[]) => rival(database, text, ...values),
    /** Changes with the same `transaction` were committed together. */
    history: async (...lives: readonly Live[]) => {
      const text = 'select id, xmin from campaign_mirror.mirror_history';
      const { rows } = await database.admin.query(text);
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
