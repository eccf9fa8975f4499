import type {
  CampaignCreation,
  CampaignId,
  CampaignSettings,
  Mirror,
  MirrorAddress,
  MirrorCreation,
  MirrorId,
  NewCampaign,
  OperatorAct,
  Timestamp,
} from '@campaign-mirror/domain';
import {
  ForeignKeyConstraintViolationException,
  type InferEntity,
  type MikroORM,
  UniqueConstraintViolationException,
} from '@mikro-orm/postgresql';
import { audited } from './audited.ts';
import { CampaignEntity, MirrorEntity } from './entities.ts';
import { ormFault } from './orm-faults.ts';

/** Campaigns and mirrors as the operator creates them, in PostgreSQL. */
export class PostgresSettings implements CampaignSettings {
  readonly #orm: MikroORM;
  readonly #act: OperatorAct;

  constructor(orm: MikroORM, act: OperatorAct) {
    this.#orm = orm;
    this.#act = act;
  }

  async createCampaign({ owner, isDefault, name }: NewCampaign): Promise<CampaignCreation> {
    for (;;) {
      try {
        const id = await audited(this.#orm, this.#act, async (em, note) => {
          const made = await em.insert(CampaignEntity, { ownerId: owner, isDefault, name: name ?? null });
          const campaignId = Number(made) as CampaignId;
          await note({
            act: 'campaign-created',
            campaignId,
            ownerId: owner,
            details: { default: isDefault },
          });
          return campaignId;
        });
        return { kind: 'created', id };
      } catch (error) {
        if (!violates(error, 'one_default_campaign_an_owner')) throw error;
      }
      const taken = await orFault(
        this.#orm.em.fork().findOne(CampaignEntity, { ownerId: owner, isDefault: true }),
      );
      // Where it is gone again by now, nothing stands in the way any more.
      if (taken) {
        return { kind: 'owner-has-default', id: taken.id as CampaignId, name: taken.name ?? null };
      }
    }
  }

  async createMirror(campaign: CampaignId, address: MirrorAddress): Promise<MirrorCreation> {
    try {
      return await audited(this.#orm, this.#act, async (em, note) => {
        const id = await em.insert(MirrorEntity, { campaignId: campaign, targetUrl: address });
        const row = await em.findOneOrFail(MirrorEntity, { id: Number(id) });
        await note({ act: 'mirror-created', campaignId: campaign, details: { target_url: address } });
        return { kind: 'created' as const, mirror: mirrorOfEntity(row) };
      });
    } catch (error) {
      if (violates(error, 'mirrors_campaign_id_key')) return { kind: 'mirror-exists' };
      if (error instanceof ForeignKeyConstraintViolationException) return { kind: 'campaign-not-found' };
      throw error;
    }
  }
}

function mirrorOfEntity(row: InferEntity<typeof MirrorEntity>): Mirror {
  return {
    id: row.id as MirrorId,
    campaignId: row.campaignId as CampaignId,
    targetUrl: row.targetUrl as MirrorAddress,
    clicks: row.clicks,
    updatedExternally: row.updatedExternally,
    updatedExternallyAt: (row.updatedExternallyAt ?? null) as Timestamp | null,
    createdAt: row.createdAt as Timestamp,
    updatedAt: row.updatedAt as Timestamp,
  };
}

/** Not any unique constraint: an identifier that was given by hand may be taken too. */
function violates(error: unknown, constraint: string): boolean {
  const named = error as UniqueConstraintViolationException & { constraint?: string };
  return error instanceof UniqueConstraintViolationException && named.constraint === constraint;
}

function orFault<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error) => Promise.reject(ormFault(error)));
}
