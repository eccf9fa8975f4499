import { hash } from 'node:crypto';
import type * as domain from '@campaign-mirror/domain';
import { hostList, isCaller, keySubject, noDeniedHosts } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import { safeInteger, type TextRow } from '../connection/rows.ts';
import { keyHash } from '../schema/keys.ts';
import { isTrueText } from '../statements/set-mirrors.ts';
import { Batches, type Call } from './batches.ts';
import type { Statement, Statements } from './statements.ts';

/** Looks up a key by its hash, or a campaign by its number, with others in one statement. @throws Unavailable */
type LookUp<Wanted> = (wanted: Wanted) => Promise<TextRow | undefined>;

const findKeys: Statement = {
  name: 'find-keys',
  text: 'select place, id, owner_id, refused, hosts from campaign_mirror.find_keys($1)',
};
const findCampaigns: Statement = {
  name: 'find-campaigns',
  text: 'select place, owner_id, is_default, has_mirror from campaign_mirror.find_campaigns($1)',
};

const maxBatchSize = 256;

/** Each is read after it was requested. The first column of a row is its place among the wanted ones, from 1 up. */
function groupedLookUps<Wanted>(
  statement: Statement,
  statements: Statements,
  timeout: number,
): LookUp<Wanted> {
  interface Member extends Call {
    readonly wanted: Wanted;
    resolve(row: TextRow | undefined): void;
  }
  const batches = new Batches<Member>(maxBatchSize, timeout);

  async function send(batch: readonly Member[]): Promise<void> {
    const rows = await statements.run(statement, [batch.map(({ wanted }) => wanted)]);
    const found = new Map(rows.map((row) => [Number(row[0]), row]));
    for (const [index, { resolve }] of batch.entries()) resolve(found.get(index + 1));
  }

  async function sendBatches(): Promise<never> {
    for (;;) {
      const batch = await batches.next();
      void statements.runBatch(statement, batch, send).then(() => batches.end(batch));
    }
  }

  void sendBatches();
  return (wanted) =>
    new Promise((resolve, reject) => {
      batches.add({ wanted, since: performance.now(), resolve, reject });
    });
}

/** As `CampaignRepository#find`. */
export function postgresFind(statements: Statements, timeout: number): domain.CampaignRepository['find'] {
  const lookUp = groupedLookUps<domain.CampaignId>(findCampaigns, statements, timeout);
  return async (id) => {
    const row = await lookUp(id);
    if (!row) return undefined;
    const [, owner, isDefault = null, hasMirror = null] = row;
    const ownerId = safeInteger(owner as string) as domain.OwnerId;
    return { id, ownerId, isDefault: isTrueText(isDefault), hasMirror: isTrueText(hasMirror) };
  };
}

/** About 200 bytes each. */
const maxRemembered = 100_000;

/**
 * Access keys in PostgreSQL. The caller of a key that was found once is remembered, for each write to prove, until a
 * look-up finds the key invalid. The database notes that a key that is found was used.
 */
export function postgresIdentity(statements: Statements, timeout: number): domain.Identity {
  const lookUp = groupedLookUps<Buffer>(findKeys, statements, timeout);
  /** By the hash of the key, since keys are not kept. As a text at once: that takes a quarter of the time. */
  const callers = new LRUCache<string, domain.Caller & { toProve: true }>({ max: maxRemembered });
  const hashed = (key: string) => hash('sha256', key, 'latin1');
  return {
    remembered: (key) => callers.get(hashed(key)),
    whoIs: async (key) => {
      const found = identifiedIn(await lookUp(keyHash(key)));
      if (isCaller(found)) callers.set(hashed(key), { ...found, toProve: true });
      else callers.delete(hashed(key));
      return found;
    },
  };
}

/** The caller to whom a key belongs, or why the key is refused (expired or revoked); undefined if it is unknown. */
function identifiedIn(row: TextRow | undefined): domain.Identified {
  if (!row) return undefined;
  const [, key, owner, refused = null, hosts = null] = row;
  const subject = keySubject(safeInteger(key as string) as domain.AccessKeyId);
  if (refused !== null) return { refused, subject };
  const caller = { ownerId: safeInteger(owner as string) as domain.OwnerId, subject };
  if (hosts === null) return caller;
  const list = hostList(hosts.split(','));
  // One that somebody wrote by hand, and that names no hosts, allows none.
  return { ...caller, hosts: 'notAHost' in list ? noDeniedHosts : list };
}
