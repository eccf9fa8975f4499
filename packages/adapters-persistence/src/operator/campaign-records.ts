import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { isIpAddress } from '@campaign-mirror/domain/operator';
import { type FilterQuery, type InferEntity, wrap } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import type { Database } from '../connection/open-database.ts';
import { rowOf } from '../connection/rows.ts';
import { reading } from '../connection/transaction.ts';
import { CampaignEntity } from '../schema/entities.ts';
import { timestampText } from '../schema/stored-values.ts';

/** The columns of a `Mirror`, as `rowsOf` reads it. */
const mirrorColumns = `id, campaign_id as "campaignId", target_url as "targetUrl", clicks,
  updated_externally as "updatedExternally", ${timestampText('updated_externally_at')} as "updatedExternallyAt",
  ${timestampText('created_at')} as "createdAt", ${timestampText('updated_at')} as "updatedAt"`;

type Campaign = InferEntity<typeof CampaignEntity>;

/** The record of a campaign whose mirror was looked up, too. */
export const recordOf = (campaign: Campaign) =>
  ({ mirror: null, ...wrap(campaign).toObject() }) as operator.CampaignRecord;

/** A regular expression for a text in any case: in the locale C, `lower` knows ASCII only. */
const inAnyCase = (text: string) =>
  [...text]
    .map((one) => one.replace(/[^\w\s\u0080-\u{10ffff}]/u, '\\$&'))
    .map((one) => `(?:${one}|${one.toLowerCase()}|${one.toUpperCase()})`)
    .join('');

/**
 * Whether an address may name one of the hosts $4, as patterns: it is there as it is written; or there are characters
 * that a host's name does not show, or an encoded letter, digit, dot or hyphen. An IP address has too many spellings: any
 * address may name it.
 */
const mayName = (hosts: readonly domain.HostName[]) =>
  hosts.some(isIpAddress)
    ? '$4::text[] is not null'
    : `lower(target_url collate "C") like any ($4) or target_url collate "C" ~* '[^!-~]|%(25|2[de]|3[0-9]|[4-7c-f])'`;

/** The next mirrors, with these columns: all, or those that may name the host. @throws Unavailable */
export async function examineMirrors<Row>(
  pool: Pool,
  columns: string,
  { after, limit, owner, hosts }: operator.MirrorPage,
): Promise<operator.ExaminedMirrors<Row>> {
  const ofOwner = `campaign_mirror.campaigns join campaign_mirror.mirrors on campaign_id = campaigns.id
    where campaigns.owner_id = $3 and campaigns.id > $1 order by campaigns.id`;
  const ofAll = 'campaign_mirror.mirrors where $3::bigint is null and campaign_id > $1 order by campaign_id';
  const text = `
    with page as materialized (select mirrors.* from ${owner === undefined ? ofAll : ofOwner} limit $2), found as (
      select ${columns} from page ${hosts ? `where ${mayName(hosts)}` : ''} order by campaign_id)
    select count(*) as examined, max(campaign_id) as last,
      coalesce((select json_agg(found) from found), '[]') as mirrors from page`;
  const values = [after ?? 0, limit, owner, ...(hosts ? [hosts.map((host) => `%${host}%`)] : [])];
  const page = await rowOf<operator.ExaminedMirrors<Row>>(pool, text, values);
  return { ...page, last: page.examined < limit ? undefined : page.last };
}

/** The port `CampaignRecords` on PostgreSQL. */
export const postgresCampaignRecords = ({ orm, pool }: Database): operator.CampaignRecords => {
  const find = (where: FilterQuery<Campaign>, limit = 1) =>
    reading(orm, async (em) => {
      const found = await em.find(CampaignEntity, where, { orderBy: { id: 'asc' }, limit });
      // A join would read the index of mirrors from its beginning, however far the page is.
      await em.populate(found, ['mirror']);
      return found.map(recordOf);
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
