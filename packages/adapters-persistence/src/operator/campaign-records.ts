import type {
  CampaignId,
  CampaignPage,
  CampaignRecord,
  CampaignRecords,
  ExaminedMirrors,
  Mirror,
  MirrorPage,
  OwnerHasDefault,
  OwnerId,
} from '@campaign-mirror/domain';
import {
  type EntityManager,
  type InferEntity,
  UniqueConstraintViolationException,
  wrap,
} from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { rowsOf } from '../connection/rows.ts';
import { CampaignEntity, type MirrorEntity } from '../schema/entities.ts';
import {
  mirrorColumns,
  namedCampaigns,
  type RecordRow,
  recordOf,
  recordsText,
} from '../statements/campaign-record-row.ts';

/** The owner's default campaign. */
export async function defaultOf(em: EntityManager, ownerId: OwnerId): Promise<OwnerHasDefault | undefined> {
  const taken = await em.findOne(CampaignEntity, { ownerId, isDefault: true });
  if (!taken) return undefined;
  return { kind: 'owner-has-default', ownerId, id: taken.id, name: taken.name ?? null };
}

/**
 * Where another transaction made its campaign the owner's default meanwhile, the act is repeated and finds that one.
 */
export async function unlessOvertaken<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!violates(error, 'one_default_campaign_an_owner')) throw error;
    }
  }
}

/** Not any unique constraint: an explicit identifier may be taken, too. */
export function violates(error: unknown, constraint: string): boolean {
  const named = error as UniqueConstraintViolationException & { constraint?: string };
  return error instanceof UniqueConstraintViolationException && named.constraint === constraint;
}

/** The fields of an entity are those of the domain. */
export function mirrorOfEntity(row: InferEntity<typeof MirrorEntity>): Mirror {
  return wrap(row).toObject() as Mirror;
}

export function recordOfEntity(
  row: InferEntity<typeof CampaignEntity>,
  mirror: Mirror | null,
): CampaignRecord {
  return { ...wrap(row).toObject(), mirror } as CampaignRecord;
}

/** One statement: a campaign and its mirror are from the same moment. */
const records = (where: string) => `
  with asked as materialized (${namedCampaigns} where ${where}) ${recordsText('asked')}`;

const one = records('id = $1');
const page = records('id > $1 and ($2::bigint is null or owner_id = $2) order by id limit $3');

/** Up to the path or the query of an address that begins with a scheme in lower case. */
const authority = `split_part(split_part(target_url collate "C", '/', 3), '?', 1) as authority`;

/**
 * Whether the URL parser may read another host than is written there: a scheme in another spelling, other characters
 * than those of a plain name, or a last label that is a number, as in some spelling of an IPv4 address; plain decimal is
 * the usual one. Such addresses are candidates, whatever host is asked for.
 */
const isOdd = `
  not (target_url collate "C" like 'https://%' or target_url collate "C" like 'http://%')
  or authority ~ '^$|[^a-z0-9.:_-]|(^|\\.)[0-9][^.:]*\\.*(:|$)'
    and authority !~ '^((0|[1-9][0-9]*)\\.){3}(0|[1-9][0-9]*)(:[0-9]*)?$'`;

/**
 * The next mirrors, with these columns, one of which is "campaignId", by the index of their campaigns, or of the owner's
 * campaigns. @throws Unavailable
 */
export async function examineMirrors<Row extends { readonly campaignId: CampaignId }>(
  pool: Pool,
  columns: string,
  { after = 0 as CampaignId, limit, owner, hosts }: MirrorPage,
): Promise<ExaminedMirrors<Row>> {
  const owned = owner === undefined ? [] : [owner];
  const [from, number] = owned.length > 0 ? [ofOwner, 'campaigns.id'] : [ofAll, 'campaign_id'];
  const next = `${from} > $1 order by ${number} limit $2`;
  const lastOf = (examined: number, last: CampaignId | undefined) => (examined < limit ? undefined : last);
  if (!hosts) {
    const text = `select ${columns} from (select mirrors.* from ${next}) as mirrors order by campaign_id`;
    const mirrors = await rowsOf<Row>(pool, text, [after, limit, ...owned]);
    const examined = mirrors.length;
    return { mirrors, examined, last: lastOf(examined, mirrors.at(-1)?.campaignId) };
  }
  const ends = `
    select count(*) as examined, min(campaign_id) as first, max(campaign_id) as last
    from (select campaign_id from ${next}) as numbers`;
  const [range] = await rowsOf<Range>(pool, ends, [after, limit, ...owned]);
  const { examined, first, last } = range as Range;
  const isNear = hosts.map((_, at) => `strpos(authority, $${at + 3 + owned.length}) > 0 or`);
  // Without the offset, the planner would compute the authority once for each of its uses.
  const text = `
    select ${columns} from (select mirrors.*, ${authority} from ${from} between $1 and $2 offset 0) as mirrors
    where ${isNear.join(' ')} ${isOdd} order by campaign_id`;
  const part = Math.ceil((last - first + 1) / together);
  const parts = Array.from({ length: together }, (_, at) => {
    const begin = first + at * part;
    return rowsOf<Row>(pool, text, [begin, Math.min(begin + part - 1, last), ...owned, ...hosts]);
  });
  return { mirrors: (await Promise.all(parts)).flat(), examined, last: lastOf(examined, last) };
}

/** The number of parts of a page that are examined at the same time, each by a process of the server. */
const together = 4;

interface Range {
  readonly examined: number;
  readonly first: CampaignId;
  readonly last: CampaignId;
}

const ofAll = 'campaign_mirror.mirrors where campaign_id';
const ofOwner = `campaign_mirror.campaigns join campaign_mirror.mirrors on campaign_id = campaigns.id
  where campaigns.owner_id = $3 and campaigns.id`;

/** Campaigns and their mirrors as the operator sees them, in PostgreSQL. */
export class PostgresCampaignRecords implements CampaignRecords {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async find(id: CampaignId): Promise<CampaignRecord | undefined> {
    const [row] = await rowsOf<RecordRow>(this.#pool, one, [id]);
    return row && recordOf(row);
  }

  async list({ owner, after, limit }: CampaignPage): Promise<CampaignRecord[]> {
    return (await rowsOf<RecordRow>(this.#pool, page, [after ?? 0, owner, limit])).map(recordOf);
  }

  listMirrors(page: MirrorPage): Promise<ExaminedMirrors<Mirror>> {
    return examineMirrors<Mirror>(this.#pool, mirrorColumns, page);
  }
}
