import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { type EntityManager, LockMode, wrap } from '@mikro-orm/postgresql';
import { isTaken } from '../connection/database-faults.ts';
import { AuditedAdapter } from '../connection/transaction.ts';
import { CampaignEntity, MirrorEntity } from '../schema/entities.ts';
import { recordOf } from './campaign-records.ts';

/** Until the end of the transaction. */
const forUpdate = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

type Facts = Pick<domain.Campaign, 'ownerId' | 'isDefault'>;

/** The port `CampaignSettings` on PostgreSQL, for one act. */
export class PostgresSettings extends AuditedAdapter implements operator.CampaignSettings {
  createCampaign({ owner, isDefault, name }: operator.NewCampaign): Promise<operator.CampaignCreation> {
    return this.audited(async (em) => {
      const taken = isDefault && (await defaultOf(em, owner));
      if (taken) return taken;
      const id = await em.insert(CampaignEntity, { ownerId: owner, isDefault, name: name ?? null });
      return { kind: 'created', id: Number(id) as domain.CampaignId };
    });
  }

  createMirror(id: domain.CampaignId, address: domain.MirrorAddress): Promise<operator.MirrorCreation> {
    return this.audited(async (em) => {
      if (!(await em.findOne(CampaignEntity, { id }, forUpdate))) return { kind: 'campaign-not-found' };
      if ((await em.count(MirrorEntity, { campaign: id })) > 0) return { kind: 'mirror-exists' };
      await em.insert(MirrorEntity, { campaign: id, targetUrl: address });
      const mirror = await em.findOneOrFail(MirrorEntity, { campaign: id });
      return { kind: 'created', mirror: wrap(mirror).toObject() as domain.Mirror };
    });
  }

  transfer(id: domain.CampaignId, to: domain.OwnerId): Promise<operator.CampaignChange> {
    return this.#change(id, { ownerId: to });
  }

  setDefault(id: domain.CampaignId, isDefault: boolean): Promise<operator.CampaignChange> {
    return this.#change(id, { isDefault });
  }

  #change(id: domain.CampaignId, change: Partial<Facts>): Promise<operator.CampaignChange> {
    return this.audited(async (em) => {
      const campaign = await em.findOne(CampaignEntity, { id }, forUpdate);
      if (!campaign) return { kind: 'campaign-not-found' };
      const { ownerId, isDefault } = campaign;
      const next: Facts = { ownerId, isDefault, ...change };
      if (next.ownerId === ownerId && next.isDefault === isDefault) return { kind: 'unchanged', ownerId };
      const taken = next.isDefault && (await defaultOf(em, next.ownerId));
      if (taken) return taken;
      Object.assign(campaign, next);
      return { kind: 'changed', ownerId };
    });
  }

  deleteCampaign(id: domain.CampaignId, seen?: operator.CampaignRecord): Promise<operator.Deletion> {
    return this.#delete(id, seen, true);
  }

  deleteMirror(id: domain.CampaignId, seen?: operator.CampaignRecord): Promise<operator.Deletion> {
    return this.#delete(id, seen, false);
  }

  #delete(id: domain.CampaignId, seen: operator.CampaignRecord | undefined, whole: boolean) {
    return this.audited<operator.Deletion>(async (em) => {
      const found = await em.findOne(CampaignEntity, { id }, forUpdate);
      if (!found) return { kind: 'campaign-not-found' };
      await em.populate(found, ['mirror'], forUpdate);
      const campaign = recordOf(found);
      if (seen && differs(campaign, seen)) return { kind: 'changed-meanwhile' };
      if (whole) await em.nativeDelete(CampaignEntity, { id });
      else if (!found.mirror) return { kind: 'mirror-not-created' };
      else await em.execute('select campaign_mirror.delete_mirror(?)', [id]);
      return { kind: 'deleted', campaign };
    });
  }

  /** If another transaction made its campaign the owner's default meanwhile, the act is repeated and finds it. */
  protected override async audited<T>(run: (em: EntityManager) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await super.audited(run);
      } catch (error) {
        const { constraint } = error as { constraint?: string };
        if (!isTaken(error) || constraint !== 'one_default_campaign_an_owner') throw error;
      }
    }
  }
}

/** Whether it is no longer what the operator agreed to delete. Clicks are ignored: they change all the time. */
const differs = (now: operator.CampaignRecord, seen: operator.CampaignRecord) =>
  now.ownerId !== seen.ownerId ||
  now.isDefault !== seen.isDefault ||
  now.name !== seen.name ||
  now.mirror?.targetUrl !== seen.mirror?.targetUrl;

async function defaultOf(em: EntityManager, ownerId: domain.OwnerId) {
  const taken = await em.findOne(CampaignEntity, { ownerId, isDefault: true });
  return taken && ({ kind: 'owner-has-default', ownerId, id: taken.id, name: taken.name ?? null } as const);
}
