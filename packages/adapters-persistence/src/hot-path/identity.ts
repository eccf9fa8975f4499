import { hash } from 'node:crypto';
import type * as domain from '@campaign-mirror/domain';
import { accessKeyOf, hostList, isCaller, keySubject, noDeniedHosts } from '@campaign-mirror/domain';
import { LRUCache } from 'lru-cache';
import { safeInteger } from '../connection/rows.ts';
import { keyHash } from '../schema/keys.ts';
import { isTrueText } from '../statements/mirrors-to-set.ts';
import { batches, type Statement, type Statements, splitUp, type Waiting } from './batches.ts';
import type { KeyUses } from './key-uses.ts';
import type { HotPathObserver } from './observer.ts';

/** Looks up keys and campaigns. @throws Unavailable */
export interface LookUps {
  /** The caller to whom a key belongs, or why the key is refused (expired or revoked); undefined if it is unknown. */
  readonly key: (hash: Buffer) => Promise<domain.Identified>;
  readonly campaign: (id: domain.CampaignId) => Promise<domain.Campaign | undefined>;
}

/** About 200 bytes each. */
const maxRemembered = 100_000;

/**
 * Access keys in PostgreSQL. The caller of a key that was found once is remembered, for each write to prove, until a
 * look-up finds the key invalid. `uses` records the keys that are found.
 */
export function postgresIdentity(lookUp: LookUps['key'], uses: KeyUses): domain.Identity {
  /** By the hash of the key, since keys are not kept. As a text at once: that takes a quarter of the time. */
  const callers = new LRUCache<string, domain.Caller & { toProve: true }>({ max: maxRemembered });
  const hashed = (key: string) => hash('sha256', key, 'latin1');
  return {
    remembered: (key) => callers.get(hashed(key)),
    whoIs: async (key) => {
      const caller = await lookUp(keyHash(key));
      if (!isCaller(caller)) {
        callers.delete(hashed(key));
        return caller;
      }
      const id = accessKeyOf(caller.subject);
      if (id) uses.note(id);
      callers.set(hashed(key), { ...caller, toProve: true });
      return caller;
    },
  };
}

/** The keys and campaigns of 128 requests. */
const maxBatchSize = 256;

/**
 * The key or the campaign of each place. The arrays come from subqueries, so that the planner assumes the same size for
 * any number of members and keeps one plan instead of making one for each batch. The limits keep it from scanning a whole
 * small table for a few members.
 */
const lookUp: Statement = {
  name: 'look-up',
  text: `
    select k.*, c.*
    from unnest((select $1::bytea[]), (select $2::bigint[])) with ordinality as asked (hash, campaign, place)
    left join lateral (
      select access_keys.id, access_keys.owner_id, case when revoked_at is not null then 'revoked-key'
        when expires_at <= clock_timestamp() then 'expired-key' end as refused, array_to_string(hosts, ',') as hosts
      from campaign_mirror.access_keys where hash = asked.hash limit 1
    ) k on true
    left join lateral (
      select owner_id as campaign_owner_id, is_default,
        (select true from campaign_mirror.mirrors where campaign_id = campaigns.id) as has_mirror
      from campaign_mirror.campaigns where id = asked.campaign limit 1
    ) c on true
    order by place`,
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

/** Looks up a key by its hash, or a campaign: the other is null. */
interface Member extends Waiting {
  readonly hash: Buffer | null;
  readonly campaign: domain.CampaignId | null;
  resolve(row: Row): void;
}

/** Each is read after it was requested. */
export function groupedLookUps(statements: Statements, timeout: number, observer: HotPathObserver): LookUps {
  const take = (waiting: Member[]) => waiting.splice(0, maxBatchSize);
  const add = batches<Member>({ take, carryOut }, timeout);

  async function carryOut(batch: readonly Member[]): Promise<void> {
    observer.batch?.('look-up', batch.length);
    await settle(batch).catch((error) =>
      splitUp(error, batch, { statement: lookUp, observer }, (member) => settle([member])),
    );
  }

  async function settle(batch: readonly Member[]): Promise<void> {
    const asked = [batch.map(({ hash }) => hash), batch.map(({ campaign }) => campaign)];
    const rows = await statements.run<Row>(lookUp, asked);
    for (const [index, member] of batch.entries()) member.resolve(rows[index] as Row);
  }

  const read = (asked: Pick<Member, 'hash' | 'campaign'>) =>
    new Promise<Row>((resolve, reject) => {
      add({ ...asked, since: performance.now(), resolve, reject });
    });

  return {
    key: async (hash) => identifiedIn(await read({ hash, campaign: null })),
    campaign: async (id) => campaignIn(id, await read({ hash: null, campaign: id })),
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
