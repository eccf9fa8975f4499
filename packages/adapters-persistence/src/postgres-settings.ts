import type {
  CampaignCreation,
  CampaignId,
  CampaignSettings,
  Mirror,
  MirrorAddress,
  MirrorCreation,
  MirrorId,
  NewCampaign,
  Timestamp,
} from '@campaign-mirror/domain';
import {
  ForeignKeyConstraintViolationException,
  type MikroORM,
  UniqueConstraintViolationException,
} from '@mikro-orm/postgresql';
import { CampaignEntity, MirrorEntity } from './entities.ts';
import { ormFault } from './orm-faults.ts';

/** Campaigns and mirrors as the operator creates them, in PostgreSQL. */
export class PostgresSettings implements CampaignSettings {
  readonly #orm: MikroORM;

  constructor(orm: MikroORM) {
    this.#orm = orm;
  }

  async createCampaign({ owner, isDefault, name }: NewCampaign): Promise<CampaignCreation> {
    const em = this.#orm.em.fork();
    for (;;) {
      try {
        const id = await em.insert(CampaignEntity, { ownerId: owner, isDefault, name: name ?? null });
        return { kind: 'created', id: Number(id) as CampaignId };
      } catch (error) {
        if (!violates(error, 'one_default_campaign_an_owner')) throw ormFault(error);
      }
      const taken = await orFault(em.findOne(CampaignEntity, { ownerId: owner, isDefault: true }));
      // Where it is gone again by now, nothing stands in the way any more.
      if (taken) return { kind: 'owner-has-default', id: taken.id as CampaignId };
    }
  }

  async createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation> {
    const em = this.#orm.em.fork();
    try {
      const id = await em.insert(MirrorEntity, { campaignId: campaign, targetUrl: address });
      const row = await em.findOneOrFail(MirrorEntity, { id: Number(id) });
      const mirror: Mirror = {
        id: row.id as MirrorId,
        campaignId: campaign,
        targetUrl: row.targetUrl as MirrorAddress,
        clicks: row.clicks,
        updatedExternally: row.updatedExternally,
        updatedExternallyAt: (row.updatedExternallyAt ?? null) as Timestamp | null,
        createdAt: row.createdAt as Timestamp,
        updatedAt: row.updatedAt as Timestamp,
      };
      return { kind: 'created', mirror };
    } catch (error) {
      if (violates(error, 'mirrors_campaign_id_key')) return { kind: 'mirror-exists' };
      if (error instanceof ForeignKeyConstraintViolationException) return { kind: 'campaign-not-found' };
      throw ormFault(error);
    }
  }
}

/** Not any unique constraint: an identifier that was given by hand may be taken too. */
function violates(error: unknown, constraint: string): boolean {
  const named = error as UniqueConstraintViolationException & { constraint?: string };
  return error instanceof UniqueConstraintViolationException && named.constraint === constraint;
}

function orFault<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => Promise.reject(ormFault(error)));
}
