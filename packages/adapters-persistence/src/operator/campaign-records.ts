import type * as domain from '@campaign-mirror/domain';
import type * as operator from '@campaign-mirror/domain/operator';
import { type FilterQuery, type InferEntity, wrap } from '@mikro-orm/postgresql';
import type { Pool, QueryResultRow } from 'pg';
import { reading } from '../connection/audited.ts';
import type { Database } from '../connection/database.ts';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { cursorRows, ofOneMoment } from '../connection/transaction.ts';
import { CampaignEntity } from '../schema/entities.ts';
import { timestampText } from '../schema/times.ts';

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

/** The part of an address between `//` and its path or query. */
const authority = `split_part(split_part(target_url collate "C", '/', 3), '?', 1) as authority`;

/**
 * Whether the URL parser may read a host other than the one that is written there: other characters than those of a plain
 * name in lower case, or a last label that is a number, as in some spelling of an IPv4 address; plain decimal is the usual
 * one. Nor is a letter, a digit or a dot of a name usually encoded elsewhere in the address. Such addresses are candidates,
 * whatever host is asked for.
 */
const isOdd = `
  authority ~ '^$|[^a-z0-9.:_-]|(^|\\.)[0-9][^.:]*\\.*(:|$)'
    and authority !~ '^((0|[1-9][0-9]*)\\.){3}(0|[1-9][0-9]*)(:[0-9]*)?$'
  or strpos(lowered, '%') > 0 and lowered ~ '%(25)*(2[de]|3[0-9]|[46][1-9a-f]|[57][0-9a])'`;

/** Whether a name in letters of its own, perhaps encoded, can stand elsewhere in the address. */
const isInternational = `or lowered ~ '[^ -~]|%(25)*[c-f]'`;

/**
 * The next mirrors, with these columns: all, or those that can be on the host or have it elsewhere in the address. By the
 * index of their campaigns, or of the owner's campaigns. @throws Unavailable
 */
export async function examineMirrors<Row extends QueryResultRow>(
  pool: Pool,
  columns: string,
  { after = 0 as domain.CampaignId, limit, owner, host }: operator.MirrorPage,
): Promise<operator.ExaminedMirrors<Row>> {
  const ownerValues = owner === undefined ? [] : [owner];
  const from = owner === undefined ? ofAll : ofOwner;
  const ends = `
    select count(*) as examined, min(campaign_id) as first, max(campaign_id) as last
    from (select campaign_id from ${nextOf(owner)}) as numbers`;
  const { examined, first, last } = await rowOf<Range>(pool, ends, [after, limit, ...ownerValues]);
  const isNear = `strpos(lowered, $${3 + ownerValues.length}) > 0`;
  const international = host?.includes('xn--') ? isInternational : '';
  // Without the offset, the planner would compute them once for each of their uses.
  const text = `
    select ${columns} from (
      select mirrors.*, lower(target_url collate "C") as lowered, ${authority} from ${from} between $1 and $2 offset 0
    ) as mirrors
    ${host ? `where ${isNear} or ${isOdd} ${international}` : ''}
    order by campaign_id`;
  const partSize = Math.ceil((last - first + 1) / partsAtOnce);
  const parts = Array.from({ length: partsAtOnce }, (_, index) => {
    const begin = first + index * partSize;
    const end = Math.min(begin + partSize - 1, last);
    return rowsOf<Row>(pool, text, [begin, end, ...ownerValues, ...(host ? [host] : [])]);
  });
  const mirrors = (await Promise.all(parts)).flat();
  return { mirrors, examined, last: examined < limit ? undefined : last };
}

type Range = { readonly examined: number } & Record<'first' | 'last', domain.CampaignId>;

/** The number of parts of a page that are examined at the same time, each by a process of the server. */
const partsAtOnce = 4;

const ofAll = 'campaign_mirror.mirrors where campaign_id';
const ofOwner = `campaign_mirror.campaigns join campaign_mirror.mirrors on campaign_id = campaigns.id
  where campaigns.owner_id = $3 and campaigns.id`;
const nextOf = (owner: domain.OwnerId | undefined) =>
  `${owner === undefined ? `${ofAll} > $1 order by campaign_id` : `${ofOwner} > $1 order by campaigns.id`} limit $2`;

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

const allText = `
  select campaigns.id, owner_id as "ownerId", is_default as "isDefault", name,
    ${timestampText('campaigns.created_at')} as "createdAt", to_json(mirror) as mirror
  from campaign_mirror.campaigns left join (select ${mirrorColumns} from campaign_mirror.mirrors) as mirror
    on "campaignId" = campaigns.id
  order by campaigns.id`;

/** Exports from PostgreSQL. `signal` ends a reading at once, by throwing the signal's reason. */
export const postgresCampaignExport = (pool: Pool, signal?: AbortSignal): operator.CampaignExport => ({
  all: () => ofOneMoment(pool, signal, (client) => cursorRows<operator.CampaignRecord>(client, allText)),
});
