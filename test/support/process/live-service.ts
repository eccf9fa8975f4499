import { defaultPoolLimits, openDatabase, type PoolLimits } from '@campaign-mirror/adapters-persistence';
import { SetCampaignMirror } from '@campaign-mirror/domain';
import { PostgresCampaigns } from '../../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../../packages/adapters-persistence/src/hot-path/identity.ts';
import { Statements } from '../../../packages/adapters-persistence/src/statements/statements.ts';
import { freshDatabase } from '../database/database-server.ts';
import { hotPathOn } from '../store/hot-paths.ts';
import { postgresWorld } from '../store/postgres-world.ts';
import { type Live, liveCampaign } from '../store/world.ts';

export type LiveService = Awaited<ReturnType<typeof liveService>>;
export type Service = Awaited<ReturnType<typeof serviceOn>>;

/** The use case on PostgreSQL, as a process of the service has it. */
export async function serviceOn(
  address: Parameters<typeof openDatabase>[0],
  limits: PoolLimits = defaultPoolLimits,
) {
  const { pool, close } = await openDatabase(address, limits);
  const hotPath = hotPathOn(new Statements(pool), limits);
  const useCase = new SetCampaignMirror(new PostgresCampaigns(hotPath), new PostgresIdentity(hotPath));
  const set = ({ key, seen }: Live, address: string, requestId = 'request-1') =>
    useCase.execute({ credential: key, campaign: seen.id, address, requestId });
  return { pool, close, set };
}

/** The same in a database of its own, with campaigns for it to update. */
export async function liveService() {
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const service = await serviceOn(database.address('service'));
  const all: { close(): Promise<unknown> }[] = [service, world];
  return {
    database,
    world,
    ...service,
    campaign: () => liveCampaign(world),
    /** A further process of the service. */
    another: async (limits?: PoolLimits) => {
      const another = await serviceOn(database.address('service'), limits);
      all.unshift(another);
      return another;
    },
    close: async () => {
      for (const one of all) await one.close();
      await database.drop();
    },
  };
}
