import { hash, randomBytes } from 'node:crypto';
import * as domain from '@campaign-mirror/domain';
import { type AccessKeys, entriesOf } from '@campaign-mirror/domain/operator';
import * as contracts from '@campaign-mirror/port-contracts';
import { InMemoryStore } from '@campaign-mirror/port-contracts/in-memory';
import type { StoreOthers } from './postgres-world.ts';
import { named } from './world.ts';

/** What a store has to have, so that no case is left out. */
export interface JudgedStore {
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
  readonly accessKeys: Pick<AccessKeys, 'issue' | 'revoke'>;
  readonly others: contracts.Others & Pick<StoreOthers, 'issueKey'>;
  readonly steps: contracts.Steps;
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
  const issue = async (owner: domain.OwnerId, expiresIn = hour, hosts?: domain.HostList) => {
    const only = hosts && { hosts: entriesOf(hosts) };
    const { id, key } = await accessKeys.issue({ owner, name: named('tests'), expiresIn, ...only });
    issued.set(key, id);
    const caller = { ownerId: owner, subject: domain.keySubject(id), key: id, ...(hosts && { hosts }) };
    return { id, credential: key, caller };
  };
  return {
    campaigns: {
      steps,
      campaigns,
      others,
      keys: {
        issue: async (owner, expiresIn) => (await issue(owner, expiresIn)).id,
        revoke: (key) => accessKeys.revoke({ ids: [key] }),
      },
    },
    identity: {
      steps,
      identity,
      issue,
      unknown: () => domain.accessKeyFrom(randomBytes(32)),
      issueUnknown: others.issueKey,
      expires: true,
      revoke: (key) => accessKeys.revoke({ ids: [issued.get(key) as domain.AccessKeyId] }),
    },
  };
}

/** The worlds of a store in memory: it has no steps, and never goes away. */
export function inMemoryWorlds(store = new InMemoryStore()): {
  campaigns: contracts.CampaignRepositoryWorld;
  identity: contracts.IdentityWorld;
} {
  const revoke = (wanted: unknown) => {
    for (const [hashed, key] of store.accessKeys)
      if (wanted === key.id || wanted === hashed) key.isRevoked = true;
  };
  const hashed = (key: string) => hash('sha256', key);
  return {
    campaigns: {
      campaigns: store,
      others: {
        createCampaign: async (owner) => store.createCampaign(owner),
        createMirror: async (id, address, clicks) => store.createMirror(id, address, clicks),
        transfer: async (id, ownerId) => Object.assign(found(store.campaigns.get(id)), { ownerId }),
        setDefault: async (id, isDefault) => Object.assign(found(store.campaigns.get(id)), { isDefault }),
        deleteMirror: async (id) => store.mirrors.delete(id),
        deleteCampaign: async (id) => store.mirrors.delete(id) && store.campaigns.delete(id),
        countClick: async (id) => found(store.mirrors.get(id)).clicks++,
        setUpdatedAt: async (id, updatedAt) => Object.assign(found(store.mirrors.get(id)), { updatedAt }),
        mirror: async (id) => structuredClone(store.mirrors.get(id)),
        history: async (id) => store.history.filter((row) => row.campaignId === id),
        clock: async () => store.clock,
      },
      keys: {
        issue: async (owner, expiresIn) => store.issueKey(owner, expiresIn).id,
        revoke: async (id) => revoke(id),
      },
    },
    identity: {
      identity: store,
      issue: async (ownerId, expiresIn) => {
        const { id, key } = store.issueKey(ownerId, expiresIn);
        return { credential: key, caller: { ownerId, subject: domain.keySubject(id), key: id } };
      },
      unknown: () => domain.accessKeyFrom(randomBytes(32)),
      issueUnknown: async (owner, credential) => {
        const { key } = store.issueKey(owner);
        store.accessKeys.set(hashed(credential), found(store.accessKeys.get(hashed(key))));
      },
      expires: true,
      revoke: async (key) => revoke(hashed(key)),
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no such row');
  return value;
}
