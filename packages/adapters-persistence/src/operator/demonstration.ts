import type { AccessKeyId, CampaignId, OwnerId } from '@campaign-mirror/domain';
import { AuditedAdapter } from '../connection/audited.ts';
import { ormFault } from '../connection/orm-faults.ts';
import { safeInteger } from '../connection/rows.ts';

interface Removed {
  id: string;
  owner_id: string;
}

const isEmpty = `
  select not exists (select from campaign_mirror.campaigns) and not exists (select from campaign_mirror.access_keys)
    and not exists (select from campaign_mirror.mirror_history) as empty`;

const revoke = `
  update campaign_mirror.access_keys set revoked_at = clock_timestamp()
  where owner_id in (?) and revoked_at is null returning id, owner_id`;

const remove = 'delete from campaign_mirror.campaigns where owner_id in (?) returning id, owner_id, name';

/** The demonstration set in PostgreSQL. */
export class PostgresDemonstration extends AuditedAdapter {
  /** Whether the database has never held any data: no campaign, no key, no history. */
  async isPossible(): Promise<boolean> {
    try {
      const [found] = await this.orm.em.fork().execute<[{ empty: boolean }]>(isEmpty);
      return found.empty;
    } catch (error) {
      throw ormFault(error);
    }
  }

  /**
   * Deletes the campaigns of these owners and revokes their keys, which stay as the trace of the demonstration. Returns
   * the number of campaigns.
   */
  async remove(owners: readonly OwnerId[]): Promise<number> {
    return this.audited(async (em, note) => {
      const keys = await em.execute<Removed[]>(revoke, [owners]);
      const campaigns = await em.execute<(Removed & { name: string | null })[]>(remove, [owners]);
      for (const { id, owner_id } of keys) {
        const accessKeyId = safeInteger(id) as AccessKeyId;
        await note({ act: 'key-revoked', accessKeyId, ownerId: safeInteger(owner_id) as OwnerId });
      }
      for (const { id, owner_id, name } of campaigns) {
        const campaignId = safeInteger(id) as CampaignId;
        const ownerId = safeInteger(owner_id) as OwnerId;
        await note({ act: 'campaign-deleted', campaignId, ownerId, details: { name } });
      }
      return campaigns.length;
    });
  }
}
