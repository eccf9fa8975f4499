import type { AccessKeyId, CampaignId, OperatorAct, OwnerId } from '@campaign-mirror/domain';
import type { MikroORM } from '@mikro-orm/postgresql';
import { audited } from '../connection/audited.ts';
import { ormFault } from '../connection/orm-faults.ts';
import { AccessKeyEntity, CampaignEntity, MirrorHistoryEntity } from '../schema/entities.ts';
import { safeInteger } from '../statements/mirror-row.ts';

interface Removed {
  id: string;
  owner_id: string;
}

const revoke = `
  update campaign_mirror.access_keys set revoked_at = clock_timestamp()
  where owner_id in (?) and revoked_at is null returning id, owner_id`;

const remove = 'delete from campaign_mirror.campaigns where owner_id in (?) returning id, owner_id, name';

/** The demonstration set in PostgreSQL. */
export class PostgresDemonstration {
  readonly #orm: MikroORM;
  readonly #act: OperatorAct;

  constructor(orm: MikroORM, act: OperatorAct) {
    this.#orm = orm;
    this.#act = act;
  }

  /** Whether the database has never held any data: no campaign, no key, no history. */
  async isPossible(): Promise<boolean> {
    const em = this.#orm.em.fork();
    try {
      for (const entity of [CampaignEntity, AccessKeyEntity, MirrorHistoryEntity]) {
        if ((await em.find(entity as typeof CampaignEntity, {}, { limit: 1 })).length > 0) return false;
      }
      return true;
    } catch (error) {
      throw ormFault(error);
    }
  }

  /**
   * Deletes the campaigns of these owners and revokes their keys, which stay as the trace of the demonstration. Returns
   * the number of campaigns.
   */
  async remove(owners: readonly OwnerId[]): Promise<number> {
    return audited(this.#orm, this.#act, async (em, note) => {
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
