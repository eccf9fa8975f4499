import type { OperatorAct, OwnerId } from '@campaign-mirror/domain';
import { type MikroORM, raw } from '@mikro-orm/postgresql';
import { audited } from './audited.ts';
import { AccessKeyEntity, CampaignEntity, MirrorHistoryEntity } from './entities.ts';
import { ormFault } from './orm-faults.ts';

/** The demonstration set's place in PostgreSQL. */
export class PostgresDemonstration {
  readonly #orm: MikroORM;
  readonly #act: OperatorAct;

  constructor(orm: MikroORM, act: OperatorAct) {
    this.#orm = orm;
    this.#act = act;
  }

  /** Whether there is no data at all, nor a trace of any: no campaign, no key, no history. */
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
   * Deletes the campaigns of these owners and revokes their keys, which stay as the trace that there was a
   * demonstration. Tells how many campaigns there were.
   */
  async remove(owners: readonly OwnerId[]): Promise<number> {
    const theirs = { ownerId: { $in: [...owners] } };
    return audited(this.#orm, this.#act, async (em, note) => {
      const revokedAt = raw<string>('clock_timestamp()');
      await em.nativeUpdate(AccessKeyEntity, { ...theirs, revokedAt: null }, { revokedAt });
      const campaigns = await em.nativeDelete(CampaignEntity, theirs);
      await note({ act: 'demonstration-removed', details: { campaigns } });
      return campaigns;
    });
  }
}
