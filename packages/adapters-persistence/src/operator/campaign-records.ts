import type * as domain from '@campaign-mirror/domain';
import type { Pool, QueryResultRow } from 'pg';
import { rowOf, rowsOf } from '../connection/rows.ts';
import { cursorRows, ofOneMoment } from '../connection/transaction.ts';
import { timestampText } from '../schema/times.ts';

/** The columns of a `Mirror`, as `rowsOf` reads it. */
const mirrorColumns = `id, campaign_id as "campaignId", target_url as "targetUrl", clicks,
  updated_externally as "updatedExternally", ${timestampText('updated_externally_at')} as "updatedExternallyAt",
  ${timestampText('created_at')} as "createdAt", ${timestampText('updated_at')} as "updatedAt"`;

/** A campaign beside its mirror, as `rowsOf` reads it. */
type RecordRow = Pick<domain.CampaignRecord, 'ownerId' | 'isDefault' | 'name'> & {
  campaign: domain.CampaignId;
  campaignCreatedAt: domain.Timestamp;
} & (domain.Mirror | { id: null });

/** Campaigns, with names of columns that differ from those of a mirror. */
const namedCampaigns = `
  select id as campaign, owner_id, is_default, name, created_at as campaign_created from campaign_mirror.campaigns`;

/** `RecordRow`s of `namedCampaigns`, whose alias has to be `asked`, in the order of their numbers. */
const recordsText = (campaigns: string) => `
  select campaign, asked.owner_id as "ownerId", asked.is_default as "isDefault", name,
    ${timestampText('campaign_created')} as "campaignCreatedAt", ${mirrorColumns}
  from ${campaigns} left join campaign_mirror.mirrors on mirrors.campaign_id = campaign
  order by campaign`;

function recordOf(row: RecordRow): domain.CampaignRecord {
  const { campaign: id, ownerId, isDefault, name, campaignCreatedAt: createdAt, ...mirror } = row;
  return { id, ownerId, isDefault, name, createdAt, mirror: mirror.id === null ? null : mirror };
}

/** One statement: a campaign and its mirror are from the same moment. */
const records = (where: string) => `
  with asked as materialized (${namedCampaigns} where ${where}) ${recordsText('asked')}`;

const recordById = records('id = $1');
const recordPage = records(`
  id > $1 and ($2::bigint is null or owner_id = $2) and ($4::text is null or name ~ $4)
  order by id limit $3`);

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
  { after = 0 as domain.CampaignId, limit, owner, host }: domain.MirrorPage,
): Promise<domain.ExaminedMirrors<Row>> {
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
export const postgresCampaignRecords = (pool: Pool): domain.CampaignRecords => ({
  find: async (id) => (await rowsOf<RecordRow>(pool, recordById, [id])).map(recordOf)[0],

  list: async ({ owner, after, limit, name }) => {
    const values = [after ?? 0, owner, limit, name && inAnyCase(name)];
    return (await rowsOf<RecordRow>(pool, recordPage, values)).map(recordOf);
  },

  listMirrors: (page) => examineMirrors<domain.Mirror>(pool, mirrorColumns, page),
});

const allText = recordsText(`(${namedCampaigns}) as asked`);

/** Exports from PostgreSQL. `signal` ends a reading at once, by throwing the signal's reason. */
export const postgresCampaignExport = (pool: Pool, signal?: AbortSignal): domain.CampaignExport => ({
  all: () =>
    ofOneMoment(pool, signal, async function* (client) {
      for await (const row of cursorRows<RecordRow>(client, allText)) yield recordOf(row);
    }),
});
