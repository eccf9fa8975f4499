import { openDatabase, PostgresAccessKeys, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import type { AccessKey, CampaignId, MirrorAddress, OwnerId } from '@campaign-mirror/domain';
import { freshDatabase, type TestDatabase } from './database-server.ts';
import { named, tester } from './operator.ts';

export interface ServiceData {
  readonly database: TestDatabase;
  /** Campaigns with a mirror, of one owner. */
  readonly campaigns: readonly CampaignId[];
  readonly key: AccessKey;
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
  return {
    database,
    campaigns: made,
    key,
    recorded: async () => {
      const { rows } = await database.admin.query(
        'select request_id from campaign_mirror.mirror_history order by id',
      );
      return rows.map((row) => row.request_id);
    },
  };
}
