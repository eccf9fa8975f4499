import { hash } from 'node:crypto';
import type * as domain from '@campaign-mirror/domain';
import { isCaller, keySubject, namedHosts } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import { type Columns, isTrueText, safeInteger } from '../connection/rows.ts';
import { keyHash } from '../schema/keys.ts';
import { Batches } from './batches.ts';
import type { BatchStatement, StatementRunner } from './run-statements.ts';

/** Rows only for what is found. */
type LookUp<Wanted, Found> = BatchStatement<Wanted, Found | undefined>;

const findKeys: LookUp<Buffer, domain.Caller | domain.Refused> = {
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

const findCampaigns: LookUp<domain.CampaignId, domain.Campaign> = {
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

/** As `CampaignRepository#find`. */
export function postgresFind(
  statements: StatementRunner,
  timeout: number,
): domain.CampaignRepository['find'] {
  const batches = new Batches(statements, findCampaigns, timeout);
  return (id) => batches.run(id);
}

/** About 200 bytes each. */
const maxRemembered = 100_000;

/** Access keys in PostgreSQL. The caller of a key is remembered until a lookup finds the key invalid. */
export function postgresIdentity(statements: StatementRunner, timeout: number): domain.Identity {
  const batches = new Batches(statements, findKeys, timeout);
  /** By the hash of the key, since keys are not kept. As a text at once: that takes a quarter of the time. */
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
