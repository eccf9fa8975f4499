import {
  type Database,
  defaultPoolLimits,
  openDatabase,
  type PoolLimits,
} from '@campaign-mirror/adapters-persistence';
import { type Outcome, SetCampaignMirror } from '@campaign-mirror/domain';
import { PostgresCampaigns } from '../../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../../packages/adapters-persistence/src/hot-path/identity.ts';
import { Statements } from '../../../packages/adapters-persistence/src/statements/statements.ts';
import { freshDatabase, type TestDatabase } from '../database/database-server.ts';
import { hotPathOn } from '../store/hot-paths.ts';
import { postgresWorld } from '../store/postgres-world.ts';
import { type Live, liveCampaign, type World } from '../store/world.ts';

/** The use case on PostgreSQL, in a database of its own, with campaigns for it to update. */
export interface LiveService {
  readonly database: TestDatabase;
  readonly world: World;
  readonly pool: Database['pool'];
  campaign(): Promise<Live>;
  /** A further process of the service. */
  another(limits?: PoolLimits): Promise<Service>;
  set(live: Live, address: string, requestId?: string): Promise<Outcome>;
  close(): Promise<void>;
}

export interface Service {
  readonly pool: Database['pool'];
  set(live: Live, address: string, requestId?: string): Promise<Outcome>;
  close(): Promise<unknown>;
}

export async function serviceOn(
  address: Parameters<typeof openDatabase>[0],
  limits: PoolLimits = defaultPoolLimits,
): Promise<Service> {
  const { pool, close } = await openDatabase(address, limits);
  const hotPath = hotPathOn(new Statements(pool), limits);
  const useCase = new SetCampaignMirror(new PostgresCampaigns(hotPath), new PostgresIdentity(hotPath));
  return {
    pool,
    close,
    set: ({ key, seen }, to, requestId = 'request-1') =>
      useCase.execute({ credential: key, campaign: seen.id, address: to, requestId }),
  };
}

export async function liveService(): Promise<LiveService> {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const service = await serviceOn(database.address('service'));
  const further: Service[] = [];
  return {
    database,
    world,
    pool: service.pool,
    set: service.set,
    campaign: () => liveCampaign(world),
    another: async (limits) => {
      const another = await serviceOn(database.address('service'), limits);
      further.push(another);
      return another;
    },
    close: async () => {
      for (const one of [...further, service, world]) await one.close();
      await database.drop();
    },
  };
}
