import { type Database, openDatabase } from '@campaign-mirror/adapters-persistence';
import type * as domain from '@campaign-mirror/domain';
import { accessKeyOf, conditionHolds, partsOf, Unavailable } from '@campaign-mirror/domain';
import type { CampaignRepositoryWorld, Steps } from '@campaign-mirror/port-contracts';
import { type EntityManager, LockMode, wrap } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import * as entities from '../../packages/adapters-persistence/src/schema/entities.ts';
import { timestampText } from '../../packages/adapters-persistence/src/schema/schema.ts';
import type { TestDatabase } from '../support/database/database-server.ts';
import { worldsOf } from '../support/store/every-case.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import { stepping } from '../support/store/stepping.ts';
import type { Mistake } from './broken-repositories.ts';

/** Mistakes that the obvious adapter makes, each with a part of the name of a case that is to notice it. */
export const ormMistakes = {
  'checks the owner before it locks': 'the old owner wrote',
  'checks the default flag before it locks': 'the mirror of the default campaign',
  'proves the key before it locks': 'a key that is revoked',
  'writes clicks back from an earlier read': 'no click is lost',
  'reads the address before ahead of the lock': 'updates of a campaign',
  'takes the time before the lock': 'no click is lost',
  'writes the history, then the mirror': 'mirror and its history',
  'throws what the driver throws': 'away: ',
} as const satisfies Partial<Record<Mistake, string>>;

/** The world of an adapter on MikroORM, of the rights of the owner of the tables. Each statement of its own is a step. */
export async function ormWorld(database: TestDatabase, mistake?: Mistake) {
  const own = await openDatabase(database.address('owner'));
  const rest = await postgresWorld(database);
  const world: CampaignRepositoryWorld = {
    ...worldsOf(rest).campaigns,
    campaigns: mikroOrmCampaigns(own, mistake),
    steps: stepsOf(own),
  };
  return { world, close: () => Promise.all([own.close(), rest.close()]) };
}

function stepsOf({ pool }: Database): Steps {
  const { steps, breaks } = stepping();
  pool.on('connect', (client: PoolClient) => {
    const query = client.query.bind(client) as (...words: unknown[]) => unknown;
    const stepped = async (...words: unknown[]) => {
      if (await breaks()) {
        Reflect.get(client, 'connection').stream.destroy();
        throw new Error('Connection terminated unexpectedly');
      }
      return query(...words);
    };
    Object.assign(client, { query: stepped });
  });
  return steps;
}

const forShare = { lockMode: LockMode.PESSIMISTIC_READ };
const forUpdate = { lockMode: LockMode.PESSIMISTIC_WRITE };

/** Finds, checks, assigns and flushes. It is right if it locks all that it judges, and reads the rest under the lock. */
function mikroOrmCampaigns({ orm }: Database, mistake: Mistake | undefined): domain.CampaignRepository {
  const is = (...some: Mistake[]) => some.some((one) => one === mistake);

  async function inTransaction<T>(act: (em: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await orm.em.fork().transactional(act);
    } catch (cause) {
      if (is('throws what the driver throws')) throw cause;
      throw new Unavailable('PostgreSQL did not answer', { cause });
    }
  }

  async function find(
    em: EntityManager,
    id: domain.CampaignId,
    lock = {},
  ): Promise<domain.Campaign | undefined> {
    const campaign = await em.findOne(entities.CampaignEntity, { id }, lock);
    if (!campaign) return undefined;
    const { ownerId, isDefault } = campaign;
    return {
      id,
      ownerId,
      isDefault,
      hasMirror: (await em.count(entities.MirrorEntity, { campaignId: id })) > 0,
    };
  }

  async function set(
    em: EntityManager,
    seen: domain.Campaign,
    { address, by, requestId, condition }: domain.MirrorChange,
  ): Promise<domain.SetMirrorResult> {
    const { id } = seen;
    const key = accessKeyOf(by.subject);
    const keyLock = is('proves the key before it locks') ? {} : forShare;
    const proven =
      key && (await em.findOne(entities.AccessKeyEntity, { id: key, ownerId: seen.ownerId }, keyLock));
    const early = await em
      .fork({ keepTransactionContext: true })
      .findOne(entities.MirrorEntity, { campaignId: id });
    const earlyTime = await after(em, early?.updatedAt);
    const isEarly = is('checks the owner before it locks', 'checks the default flag before it locks');
    const campaign = await find(em, id, isEarly ? {} : forShare);
    const mirror = await em.findOne(entities.MirrorEntity, { campaignId: id }, forUpdate);
    const now = await after(em, mirror?.updatedAt);
    const isValid =
      proven && !proven.revokedAt && (!proven.expiresAt || proven.expiresAt > (await after(em)));
    if (key && !isValid) return { kind: 'caller-invalid' };
    const isAsSeen =
      campaign?.ownerId === seen.ownerId && campaign.isDefault === seen.isDefault && seen.hasMirror;
    if (!mirror || !early || !isAsSeen)
      return { kind: 'campaign-differs', campaign: campaign && { ...campaign, hasMirror: mirror !== null } };

    const lastChange = await lastChangeOf(em, id);
    if (!conditionHolds(condition, lastChange))
      return { kind: 'condition-failed', mirror: wrap(mirror).toObject() as domain.Mirror, lastChange };

    const before = (is('reads the address before ahead of the lock') ? early : mirror).targetUrl;
    const at = is('takes the time before the lock') ? earlyTime : now;
    const changed = { targetUrl: address, updatedExternally: true, updatedExternallyAt: at, updatedAt: at };
    em.assign(mirror, changed);
    if (is('writes clicks back from an earlier read'))
      await em.nativeUpdate(entities.MirrorEntity, { id: mirror.id }, { clicks: early.clicks });
    const { kind, name = null } = partsOf(by.subject);
    const actor = [kind, key ?? null, key ? null : name, seen.ownerId];
    const parameters = [id, mirror.id, ...actor, before, address, at, requestId];
    const isApart = is('writes the history, then the mirror');
    await (isApart ? orm.em.fork() : em).execute(recordText, parameters as unknown[]);
    const { clicks, createdAt } = mirror;
    const set = { id: mirror.id, campaignId: id, clicks, createdAt, ...changed };
    return { kind: 'mirror-set', mirror: set, lastChange: (await lastChangeOf(em, id)) as domain.HistoryId };
  }

  async function lastChangeOf(em: EntityManager, id: domain.CampaignId): Promise<number> {
    const [row] = await em.execute(lastChangeText, [id]);
    return Number(row?.id ?? 0);
  }

  async function after(em: EntityManager, time?: domain.Timestamp): Promise<domain.Timestamp> {
    const later = "greatest(clock_timestamp(), ?::timestamptz + interval '1 microsecond')";
    const [row] = await em.execute(`select ${timestampText(later)} as now`, [time ?? null]);
    return row?.now;
  }

  return {
    find: (id) => inTransaction((em) => find(em, id)),
    setMirror: (seen, change) => inTransaction((em) => set(em, seen, change)),
  };
}

const recordText = `insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, access_key_id, subject,
  owner_id, address_before, address_after, changed_at, request_id) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const lastChangeText = 'select max(id) as id from campaign_mirror.mirror_history where campaign_id = ?';
