import * as memory from '@campaign-mirror/adapters-persistence/in-memory';
import * as domain from '@campaign-mirror/domain';
import type { AccessKeys } from '@campaign-mirror/domain/operator';
import * as contracts from '@campaign-mirror/port-contracts';
import { timestampOf } from '../../../packages/adapters-persistence/src/schema/times.ts';
import { accessKeyBytes } from '../../../packages/domain/src/values/access-key.ts';
import type { StoreOthers } from './postgres-world.ts';
import { named } from './world.ts';

/** What a store has to have, so that no case is left out. */
export interface JudgedStore {
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
  readonly accessKeys: {
    issue(
      terms: Parameters<AccessKeys['issue']>[0],
    ): Promise<{ id: domain.AccessKeyId; key: domain.AccessKey }>;
    revoke(id: domain.AccessKeyId): Promise<unknown>;
  };
  readonly others: StoreOthers;
  /** Not of a store in memory: it has no steps, and never goes away. */
  readonly steps?: contracts.Steps;
}

/**
 * A test for each promise of the ports of the use case, on the store that there is when it runs. Only what needs a part
 * that `without` names is left out.
 */
export function everyCaseOn(store: () => JudgedStore, without: readonly string[] = []): void {
  casesOf(
    'CampaignRepository',
    contracts.campaignRepositoryCases,
    () => worldsOf(store()).campaigns,
    without,
  );
  casesOf('Identity', contracts.identityCases, () => worldsOf(store()).identity, without);
}

export function casesOf<World>(
  port: string,
  cases: readonly contracts.Case<World>[],
  world: () => World,
  without: readonly string[] = [],
): void {
  describe(port, () => {
    for (const { name, needs, run } of cases)
      if (!needs.some((part) => without.includes(part))) it(name, () => run(world()));
  });
}

/** In seconds. */
const hour = 3_600;

export function worldsOf({ campaigns, identity, accessKeys, others, steps }: JudgedStore): {
  campaigns: contracts.CampaignRepositoryWorld;
  identity: contracts.IdentityWorld;
} {
  const issued = new Map<string, domain.AccessKeyId>();
  const issue = async (owner: domain.OwnerId, expiresIn: number | 'never', hosts?: domain.HostList) => {
    const only = hosts && { hosts: domain.entriesOf(hosts) };
    const { id, key } = await accessKeys.issue({ owner, name: named('tests'), expiresIn, ...only });
    issued.set(key, id);
    const caller = { ownerId: owner, subject: domain.keySubject(id), ...(hosts && { hosts }) };
    return { id, credential: key, caller };
  };
  const idOf = (key: string) => issued.get(key) as domain.AccessKeyId;
  return {
    campaigns: {
      ...(steps && { steps }),
      campaigns,
      others,
      keys: {
        issue: async (owner, expires) => (await issue(owner, expires ?? hour)).id,
        revoke: (key) => accessKeys.revoke(key),
        expire: others.expireKey,
        delete: others.deleteKey,
        give: others.giveKey,
      },
    },
    identity: {
      ...(steps && { steps }),
      identity,
      issue: (owner, expires, hosts) => issue(owner, expires ?? hour, hosts),
      unknown: () => domain.accessKeyFrom(new Uint8Array(accessKeyBytes)),
      issueExpired: async (owner) => (await issue(owner, 0)).credential,
      expire: (key) => others.expireKey(idOf(key)),
      revoke: (key) => accessKeys.revoke(idOf(key)),
      forget: (key) => others.deleteKey(idOf(key)),
      remembers: true,
    },
  };
}

export const inMemoryWorlds = () => worldsOf(inMemoryStore());

/** A store whose clock has microseconds, in which every pause shows. */
export const preciseStore = () =>
  new memory.InMemoryStore(() => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)));

export function inMemoryStore(store = new memory.InMemoryStore()): JudgedStore {
  const clock = () => timestampOf(store.now());
  const change = (id: domain.AccessKeyId, to: Partial<memory.StoredAccessKey>) =>
    Object.assign(found(store.accessKey(id)), to);
  return {
    campaigns: new memory.InMemoryCampaigns(store),
    identity: new memory.InMemoryIdentity(store),
    accessKeys: {
      issue: async ({ owner, expiresIn, hosts }) => store.issueKey(owner, expiresIn, hosts),
      revoke: async (id) => change(id, { revokedAt: clock() }),
    },
    others: {
      createCampaign: async (owner) => store.createCampaign(owner),
      createMirror: async (id, address) => store.createMirror(id, address),
      transfer: async (id, ownerId) => Object.assign(found(store.campaigns.get(id)), { ownerId }),
      setDefault: async (id, isDefault) => Object.assign(found(store.campaigns.get(id)), { isDefault }),
      deleteMirror: async (id) => store.mirrors.delete(id),
      deleteCampaign: async (id) => {
        store.mirrors.delete(id);
        store.campaigns.delete(id);
      },
      countClick: async (id) => found(store.mirrors.get(id)).clicks++,
      setUpdatedAt: async (id, updatedAt) => Object.assign(found(store.mirrors.get(id)), { updatedAt }),
      mirror: async (id) => structuredClone(store.mirrors.get(id)),
      history: async (id) => store.history.filter((row) => row.campaignId === id),
      clock: async () => clock(),
      expireKey: async (id) => change(id, { expiresAt: clock() }),
      giveKey: async (id, ownerId) => change(id, { ownerId }),
      deleteKey: async (id) => {
        for (const [hash, key] of store.accessKeys) if (key.id === id) store.accessKeys.delete(hash);
      },
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no such row');
  return value;
}

/** The steps of a call. An adapter awaits `breaks` ahead of each of them, and fails if it is to break. */
export function stepping() {
  let ahead: Parameters<contracts.Steps>[1] | undefined;
  let step = -1;
  const steps: contracts.Steps = (call, before) => {
    [step, ahead] = [-1, before];
    return call().finally(() => {
      ahead = undefined;
    });
  };
  const breaks = async () => {
    step += 1;
    return (await ahead?.(step)) === 'break';
  };
  return { steps, breaks };
}
