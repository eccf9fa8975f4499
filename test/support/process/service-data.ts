import { openDatabase, PostgresAccessKeys, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import type { AccessKey, CampaignId, MirrorAddress, OwnerId } from '@campaign-mirror/domain';
import { freshDatabase, type TestDatabase } from '../database/database-server.ts';
import { type Rival, rival, untilWaiting } from '../database/rival.ts';
import { type Answer, type Call, call } from '../http/caller.ts';
import { named, tester } from '../store/operator.ts';

export interface ServiceData {
  readonly database: TestDatabase;
  /** Campaigns with a mirror, of one owner. */
  readonly campaigns: readonly CampaignId[];
  readonly key: AccessKey;
  /** Of a service that is to serve it. */
  settings(more?: Readonly<Record<string, string>>): Record<string, string>;
  /** An update of its first campaign. */
  one(service: { readonly base: string }, more?: Partial<Call>): Call;
  /** Such an update in its middle: it waits for a rival, who holds the campaign until he rolls back. */
  slow(
    service: { readonly base: string },
    more?: Partial<Call>,
  ): Promise<{ slow: Promise<Answer>; holder: Rival }>;
  /** An update of each of its campaigns. */
  updates(base: string): Call[];
  /** The request identifiers of a campaign's history, in its order; or of all. */
  recorded(): Promise<string[]>;
}

/** A fresh database with campaigns to update. */
export async function serviceData({ campaigns = 1, owner = 1 } = {}): Promise<ServiceData> {
  const database = await freshDatabase();
  const { orm, close } = await openDatabase(database.address('operator'));
  const settings = new PostgresSettings(orm, tester);
  const made: CampaignId[] = [];
  for (let number = 0; number < campaigns; number++) {
    const { id } = await settings.createCampaign({ owner: owner as OwnerId, isDefault: false });
    await settings.createMirror(id, 'https://example.com/before' as MirrorAddress);
    made.push(id);
  }
  const { key } = await new PostgresAccessKeys(orm, tester).issue({
    owner: owner as OwnerId,
    name: named('tests'),
  });
  await close();
  const one: ServiceData['one'] = ({ base }, more) => {
    const [campaign = 0] = made;
    return { base, campaign, key, address: 'https://example.com/a', ...more };
  };
  return {
    settings: (more) => ({ DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false', ...more }),
    one,
    slow: async (service, more) => {
      const holder = await rival(database);
      await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', made[0]);
      const slow = call(one(service, more));
      await untilWaiting(database, slow);
      return { slow, holder };
    },
    database,
    campaigns: made,
    key,
    updates: (base) => made.map((campaign) => one({ base }, { campaign })),
    recorded: async () => {
      const { rows } = await database.admin.query(
        'select request_id from campaign_mirror.mirror_history order by id',
      );
      return rows.map((row) => row.request_id);
    },
  };
}
