import { AsyncResource } from 'node:async_hooks';
import type * as domain from '@campaign-mirror/domain';
import {
  accessKeyOf,
  hostList,
  isCaller,
  keySubject,
  noDeniedHosts,
  Unavailable,
} from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import { isStatementsFault } from '../connection/database-faults.ts';
import { safeInteger } from '../connection/rows.ts';
import { keyHash } from '../schema/schema.ts';
import { byteaArray, isTrueText, plainArray } from '../statements/set-mirrors.ts';
import type { HotPathObserver, Statement, Statements } from './batches.ts';
import { batches, type Waiting } from './batches.ts';
import type { KeyUses } from './key-uses.ts';

/** Looks up keys and campaigns. @throws Unavailable */
export interface LookUps {
  /** The caller to whom a key belongs, or why the key is refused (expired or revoked); undefined if it is unknown. */
  readonly key: (hash: Buffer) => Promise<domain.Identified>;
  readonly campaign: (id: domain.CampaignId) => Promise<domain.Campaign | undefined>;
}

/** The maximum number of callers remembered: about 200 bytes each. */
const maxRemembered = 100_000;

/**
 * Access keys in PostgreSQL. The caller of a key that was found once is remembered, for each write to prove, until a
 * look-up finds the key invalid. `uses` records the keys that are found.
 */
export function postgresIdentity(lookUp: LookUps['key'], uses: KeyUses): domain.Identity {
  /** By the hash of the key, since keys are not kept. */
  const callers = new LRUCache<string, domain.Caller & { toProve: true }>({ max: maxRemembered });
  return {
    remembered: (key) => callers.get(keyHash(key).toString('latin1')),
    whoIs: async (key) => {
      const hash = keyHash(key);
      const caller = await lookUp(hash);
      if (!isCaller(caller)) {
        callers.delete(hash.toString('latin1'));
        return caller;
      }
      const id = accessKeyOf(caller.subject);
      if (id) uses.note(id);
      callers.set(hash.toString('latin1'), { ...caller, toProve: true });
      return caller;
    },
  };
}

/** The key with this hash, an SQL expression: its number, its owner, its hosts, and why it is refused, if it is. */
const keyOf = (hash: string) => `
  select access_keys.id, access_keys.owner_id, case when revoked_at is not null then 'revoked-key'
    when expires_at <= clock_timestamp() then 'expired-key' end as refused, array_to_string(hosts, ',') as hosts
  from campaign_mirror.access_keys where hash = ${hash}`;

/** The campaign with this identifier, an SQL expression: its owner, its default flag, and whether it has a mirror. */
const campaignOf = (id: string) => `
  select owner_id as campaign_owner_id, is_default,
    (select true from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
  from campaign_mirror.campaigns where id = ${id}`;

/** The maximum number of keys and campaigns in one statement: those of 128 requests. */
const maxBatchSize = 256;

/**
 * Looks up many keys and campaigns; the rows are in the order of the arrays. The arrays come from subqueries, so that
 * the planner assumes the same size for any number of members and keeps one plan instead of making one for each batch.
 * The limits keep it from scanning a whole small table for a few members.
 */
const lookUpMany: Statement = {
  name: 'look-up-many',
  text: `
    select k.*, c.*
    from unnest((select $1::bytea[]), (select $2::bigint[])) with ordinality as asked (hash, campaign, place)
    left join lateral (${keyOf('asked.hash')} limit 1) k on true
    left join lateral (${campaignOf('asked.campaign')} limit 1) c on true
    order by place`,
};

/** Looks up one key and one campaign, which is cheaper; a parameter is null if there is none to look up. */
const lookUpOne: Statement = {
  name: 'look-up-one',
  text: `
    select k.*, c.*
    from (select) as asked left join (${keyOf('$1')}) k on true left join (${campaignOf('$2::bigint')}) c on true`,
};

/** The columns of a key, then those of a campaign; null if it does not exist. */
type Row = readonly [
  key: string | null,
  keyOwner: string | null,
  refused: string | null,
  hosts: string | null,
  campaignOwner: string | null,
  isDefault: string | null,
  hasMirror: string | null,
];

interface KeyMember extends Waiting {
  readonly hash: Buffer;
  resolve(identified: domain.Identified): void;
}
interface CampaignMember extends Waiting {
  readonly id: domain.CampaignId;
  resolve(campaign: domain.Campaign | undefined): void;
}
type Member = KeyMember | CampaignMember;

/** Batched look-ups of keys and campaigns, each read after it was requested. */
export function groupedLookUps(statements: Statements, timeout: number, observer: HotPathObserver): LookUps {
  const take = (waiting: Member[]) => waiting.splice(0, maxBatchSize);
  const add = batches<Member>({ take, carryOut }, timeout);

  async function carryOut(batch: readonly Member[]): Promise<void> {
    observer.batch('look-up', batch.length);
    try {
      await answer(batch);
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      if (isStatementsFault(error)) observer.refused(lookUpMany.name, error);
      await oneByOne(batch);
    }
  }

  async function answer(batch: readonly Member[]): Promise<void> {
    const keys: KeyMember[] = [];
    const campaigns: CampaignMember[] = [];
    for (const member of batch) {
      if ('hash' in member) keys.push(member);
      else campaigns.push(member);
    }
    const rows = await read(keys, campaigns);
    for (const [index, member] of keys.entries()) member.resolve(identifiedIn(rows[index] as Row));
    for (const [index, member] of campaigns.entries())
      member.resolve(campaignIn(member.id, rows[index] as Row));
  }

  function read(keys: readonly KeyMember[], campaigns: readonly CampaignMember[]): Promise<Row[]> {
    if (keys.length < 2 && campaigns.length < 2) {
      return statements.run<Row>(lookUpOne, [keys[0]?.hash ?? null, campaigns[0]?.id ?? null]);
    }
    const hashes = byteaArray(keys.map(({ hash }) => hash));
    return statements.run<Row>(lookUpMany, [hashes, plainArray(campaigns.map(({ id }) => id))]);
  }

  /** Used after a fault that one member may have caused for all. @throws Unavailable for members without an answer */
  async function oneByOne(batch: readonly Member[]): Promise<void> {
    observer.splitUp('look-up');
    for (const member of batch) {
      try {
        await member.origin.runInAsyncScope(() => answer([member]));
      } catch (error) {
        if (error instanceof Unavailable || isStatementsFault(error)) throw error;
        member.reject(error);
      }
    }
  }

  return {
    key: (hash) =>
      new Promise((resolve, reject) => {
        const origin = new AsyncResource('KeyLookUp');
        add({ hash, origin, since: performance.now(), resolve, reject });
      }),
    campaign: (id) =>
      new Promise((resolve, reject) => {
        const origin = new AsyncResource('CampaignLookUp');
        add({ id, origin, since: performance.now(), resolve, reject });
      }),
  };
}

function identifiedIn([key, owner, refused, hosts]: Row): domain.Identified {
  if (key === null || owner === null) return undefined;
  const subject = keySubject(safeInteger(key) as domain.AccessKeyId);
  if (refused !== null) return { refused, subject };
  const caller = { ownerId: safeInteger(owner) as domain.OwnerId, subject };
  if (hosts === null) return caller;
  const list = hostList(hosts.split(','));
  // One that somebody wrote by hand, and that names no hosts, allows none.
  return { ...caller, hosts: 'notAHost' in list ? noDeniedHosts : list };
}

function campaignIn(
  id: domain.CampaignId,
  [, , , , owner, isDefault, hasMirror]: Row,
): domain.Campaign | undefined {
  if (owner === null) return undefined;
  return {
    id,
    ownerId: safeInteger(owner) as domain.OwnerId,
    isDefault: isTrueText(isDefault),
    hasMirror: isTrueText(hasMirror),
  };
}
