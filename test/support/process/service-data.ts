import type { CampaignId, OwnerId } from '@campaign-mirror/domain';
import { freshDatabase } from '../database/database-server.ts';
import { lockMirror, rival, untilWaiting } from '../database/rival.ts';
import { type Call, call } from '../http/caller.ts';
import { postgresWorld } from '../store/postgres-world.ts';
import { before, named, newCampaign, newMirror } from '../store/world.ts';

export type ServiceData = Awaited<ReturnType<typeof serviceData>>;

/** A fresh database with campaigns of one owner to update, each with a mirror, and his key. */
export async function serviceData(given: { readonly campaigns?: number; readonly owner?: number } = {}) {
  const owner = (given.owner ?? 1) as OwnerId;
  const database = await freshDatabase();
  const world = await postgresWorld(database);
  const campaigns: CampaignId[] = [];
  for (let number = 0; number < (given.campaigns ?? 1); number++) {
    const { id } = await newCampaign(world, owner);
    await newMirror(world, id, before);
    campaigns.push(id);
  }
  const { key } = await world.accessKeys.issue({ owner, name: named('tests') });
  await world.close();
  const one = ({ base }: { base: string }, more?: Partial<Call>): Call => {
    return { base, campaign: campaigns[0] ?? 0, key, address: 'https://example.com/a', ...more };
  };
  return {
    database,
    campaigns: campaigns as readonly CampaignId[],
    key,
    settings: (more: Readonly<Record<string, string>> = {}): Record<string, string> => {
      return { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false', ...more };
    },
    one,
    /** Such an update in its middle: it waits for a rival, who holds the campaign until he rolls back. */
    slow: async (service: { base: string }, more?: Partial<Call>) => {
      const holder = await rival(database, lockMirror, campaigns[0]);
      const slow = call(one(service, more));
      await untilWaiting(database, slow);
      return { slow, holder };
    },
    updates: (base: string) => campaigns.map((campaign) => one({ base }, { campaign })),
    recorded: async (): Promise<string[]> => {
      const ids = 'select request_id from campaign_mirror.mirror_history order by id';
      return (await database.admin.query(ids)).rows.map((row) => row.request_id);
    },
  };
}
