import { hash } from 'node:crypto';
import type * as domain from '@campaign-mirror/domain';
import { isCaller, keySubject, namedHosts } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { defaultPoolLimits, type PoolLimits } from '../connection/pool.ts';
import { type Columns, isTrueText, safeInteger } from '../connection/rows.ts';
import { keyHash } from '../schema/stored-values.ts';
import { Batches } from './batches.ts';
import { type BatchStatement, type HotPathObserver, StatementRunner } from './run-statements.ts';
import { groupedUpdates } from './updates.ts';

/** Returns a row only for what it finds. */
type Lookup<Wanted, Found> = BatchStatement<Wanted, Found | undefined>;

const findKeys: Lookup<Buffer, domain.Caller | domain.Refused> = {
  name: 'find-keys',
  text: 'select place, id, owner_id, refused, hosts from campaign_mirror.find_keys($1)',
  maxSize: 256,
  values: (hashes) => [hashes],
  read: (row) => {
    if (!row) return undefined;
    const [, key, owner, refused, hosts] = row as Columns<5>;
    const id = safeInteger(key) as domain.AccessKeyId;
    const subject = keySubject(id);
    if (refused !== null) return { refused, subject };
    const caller = { ownerId: safeInteger(owner) as domain.OwnerId, subject, key: id };
    return hosts === null ? caller : { ...caller, hosts: namedHosts(hosts.split(',')) };
  },
};

const findCampaigns: Lookup<domain.CampaignId, domain.Campaign> = {
  name: 'find-campaigns',
  text: 'select place, owner_id, is_default, has_mirror from campaign_mirror.find_campaigns($1)',
  maxSize: 256,
  values: (ids) => [ids],
  read: (row, id) => {
    if (!row) return undefined;
    const [, owner, isDefault, hasMirror] = row as Columns<4>;
    const ownerId = safeInteger(owner) as domain.OwnerId;
    return { id, ownerId, isDefault: isTrueText(isDefault), hasMirror: isTrueText(hasMirror) };
  },
};

/** About 200 bytes each. */
const maxRemembered = 100_000;

/** Access keys in PostgreSQL. The caller of a key is remembered until a lookup finds the key invalid. */
function postgresIdentity(statements: StatementRunner, timeout: number): domain.Identity {
  const batches = new Batches(statements, findKeys, timeout);
  /** By the hash of the key, because keys must not be kept. `latin1` takes a quarter of the time of a buffer. */
  const callers = new LRUCache<string, domain.Caller>({ max: maxRemembered });
  return {
    whoIs: async (key, { afresh = false } = {}) => {
      const name = hash('sha256', key, 'latin1');
      const remembered = afresh ? undefined : callers.get(name);
      if (remembered) return remembered;
      const found = await batches.run(keyHash(key));
      if (isCaller(found)) callers.set(name, found);
      else callers.delete(name);
      return found;
    },
  };
}

/** The ports of the use case, which share a pool and its statements. */
export interface OpenHotPath {
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
}

/** How the hot path uses its pool. */
export interface HotPathOptions {
  readonly limits?: Pick<PoolLimits, 'size' | 'waitTimeout'>;
  /** Default true. False for a pooler in transaction mode that does not keep prepared statements. */
  readonly prepared?: boolean;
  readonly observer?: HotPathObserver;
  /** By default on the pool. */
  readonly statements?: StatementRunner;
}

/**
 * Opens the ports on a pool of `openDatabase`, which rejects commits that a synchronous standby has not confirmed. The
 * limit of the wait for a connection also applies to the wait for a batch.
 */
export function openHotPath(
  pool: Pool,
  { limits = defaultPoolLimits, prepared = true, observer, ...own }: HotPathOptions = {},
): OpenHotPath {
  const { statements = new StatementRunner(pool, { prepared }, observer) } = own;
  // Without a limit, the longest timer that Node accepts.
  const timeout = limits.waitTimeout || 2 ** 31 - 1;
  // Half of the pool: other work continues while updates wait for locks.
  const maxLocked = Math.max(1, Math.floor(limits.size / 2));
  const lookups = new Batches(statements, findCampaigns, timeout);
  const find = (id: domain.CampaignId) => lookups.run(id);
  const setMirror = groupedUpdates(statements, find, { maxLocked, timeout });
  return { campaigns: { find, setMirror }, identity: postgresIdentity(statements, timeout) };
}
