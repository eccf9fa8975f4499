import * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { isIpAddress } from '@campaign-mirror/domain/operator';
import {
  type EntityManager,
  type FilterQuery,
  type InferEntity,
  LockMode,
  wrap,
} from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { Database } from '../connection/open-database.ts';
import { rowOf } from '../connection/rows.ts';
import { AuditedAdapter, readSnapshot } from '../connection/transaction.ts';
import { CampaignEntity, MirrorEntity } from '../schema/entities.ts';
import { timestampText } from '../schema/stored-values.ts';

type Campaign = InferEntity<typeof CampaignEntity>;
type Facts = Pick<domain.Campaign, 'ownerId' | 'isDefault'>;

const forUpdate = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

const recordOf = (campaign: Campaign) =>
  ({ mirror: null, ...wrap(campaign).toObject() }) as operator.CampaignRecord;

/** The attempts of an act, if other transactions keep changing the default campaign of the owner. */
const maxAttempts = 5;

/** The port `CampaignSettings` on PostgreSQL, for one act. */
export class PostgresSettings extends AuditedAdapter implements operator.CampaignSettings {
  createCampaign({ owner, isDefault, name }: operator.NewCampaign): Promise<operator.CampaignCreation> {
    return this.audited(async (em) => {
      const other = isDefault && (await defaultOf(em, owner));
      if (other) return other;
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
      const other = next.isDefault && (await defaultOf(em, next.ownerId));
      if (other) return other;
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

  #delete(id: domain.CampaignId, seen: operator.CampaignRecord | undefined, withCampaign: boolean) {
    return this.audited<operator.Deletion>(async (em) => {
      const found = await em.findOne(CampaignEntity, { id }, forUpdate);
      if (!found) return { kind: 'campaign-not-found' };
      await em.populate(found, ['mirror'], forUpdate);
      const campaign = recordOf(found);
      if (seen && shownOf(campaign) !== shownOf(seen)) return { kind: 'changed-meanwhile' };
      if (withCampaign) await em.nativeDelete(CampaignEntity, { id });
      else if (!found.mirror) return { kind: 'mirror-not-created' };
      else await em.execute('select campaign_mirror.delete_mirror(?)', [id]);
      return { kind: 'deleted', campaign };
    });
  }

  /** Retries an act if another transaction gave the owner a default campaign meanwhile: the retry finds that one. */
  protected override async audited<T>(run: (em: EntityManager) => Promise<T>, attempt = 1): Promise<T> {
    try {
      return await super.audited(run);
    } catch (error) {
      if ((error as { constraint?: string }).constraint !== 'one_default_campaign_an_owner') throw error;
      if (attempt < maxAttempts) return this.audited(run, attempt + 1);
      throw new domain.Unavailable('the default campaign of the owner keeps changing', { cause: error });
    }
  }
}

/** What the operator agreed to delete. Clicks change all the time. */
const shownOf = ({ ownerId, isDefault, name, mirror }: operator.CampaignRecord) =>
  JSON.stringify([ownerId, isDefault, name, mirror?.targetUrl]);

async function defaultOf(em: EntityManager, ownerId: domain.OwnerId) {
  const found = await em.findOne(CampaignEntity, { ownerId, isDefault: true });
  return found && ({ kind: 'owner-has-default', ownerId, id: found.id, name: found.name ?? null } as const);
}

const mirrorColumns = `id, campaign_id as "campaignId", target_url as "targetUrl", clicks,
  updated_externally as "updatedExternally", ${timestampText('updated_externally_at')} as "updatedExternallyAt",
  ${timestampText('created_at')} as "createdAt", ${timestampText('updated_at')} as "updatedAt"`;

/** A case-insensitive regular expression for a text: in the locale C, `lower` knows ASCII only. */
const inAnyCase = (text: string) =>
  [...text]
    .map((one) => one.replace(/[^\w\s\u0080-\u{10ffff}]/u, '\\$&'))
    .map((one) => `(?:${one}|${one.toLowerCase()}|${one.toUpperCase()})`)
    .join('');

/**
 * A condition for addresses that may be on one of the hosts $4, which are patterns: the name, a character that can be
 * normalized, or an encoded character occurs in the address. An IP address has too many spellings: any address passes.
 */
const mayHave = (hosts: readonly domain.HostName[]) =>
  hosts.some(isIpAddress)
    ? '$4::text[] is not null'
    : `lower(target_url collate "C") like any ($4) or target_url collate "C" ~* '[^!-~]|%(25|2[de]|3[0-9]|[4-7c-f])'`;

/** The next mirrors, with these columns: all, or those that may have one of the hosts. @throws Unavailable */
export async function examineMirrors<Row>(
  pool: Pool,
  columns: string,
  { after, limit, owner, hosts }: operator.MirrorQuery,
): Promise<operator.ExaminedMirrors<Row>> {
  const ofOwner = `campaign_mirror.campaigns join campaign_mirror.mirrors on campaign_id = campaigns.id
    where campaigns.owner_id = $3 and campaigns.id > $1 order by campaigns.id`;
  const ofAll = 'campaign_mirror.mirrors where $3::bigint is null and campaign_id > $1 order by campaign_id';
  const text = `
    with page as materialized (select mirrors.* from ${owner === undefined ? ofAll : ofOwner} limit $2), found as (
      select ${columns} from page ${hosts ? `where ${mayHave(hosts)}` : ''} order by campaign_id)
    select count(*) as examined, max(campaign_id) as last,
      coalesce((select json_agg(found) from found), '[]') as mirrors from page`;
  const values = [after ?? 0, limit, owner, ...(hosts ? [hosts.map((host) => `%${host}%`)] : [])];
  const page = await rowOf<operator.ExaminedMirrors<Row>>(pool, text, values);
  return { ...page, last: page.examined < limit ? undefined : page.last };
}

export const postgresCampaignRecords = ({ orm, pool }: Database): operator.CampaignRecords => {
  const find = (where: FilterQuery<Campaign>, limit = 1) =>
    readSnapshot(orm, async (em) => {
      const found = await em.find(CampaignEntity, where, { orderBy: { id: 'asc' }, limit });
      // A join would read the index of mirrors from its beginning for each page.
      return (await em.populate(found, ['mirror'])).map(recordOf);
    });
  return {
    find: async (id) => (await find({ id }))[0],
    list: ({ owner, after = 0 as domain.CampaignId, limit, name }) => {
      const named = name ? { name: { $re: inAnyCase(name) } } : {};
      return find({ id: { $gt: after }, ...(owner !== undefined && { ownerId: owner }), ...named }, limit);
    },
    listMirrors: (page) => examineMirrors<domain.Mirror>(pool, mirrorColumns, page),
  };
};
