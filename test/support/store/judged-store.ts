import { hash, randomBytes } from 'node:crypto';
import * as domain from '@campaign-mirror/domain';
import { type AccessKeys, entriesOf } from '@campaign-mirror/domain/operator';
import * as contracts from '@campaign-mirror/port-contracts';
import { InMemoryStore } from '@campaign-mirror/port-contracts/in-memory';
import type { StoreOthers } from './postgres-world.ts';
import { named } from './world.ts';

/** A store that all cases are applicable to. */
interface JudgedStore {
  readonly campaigns: domain.CampaignRepository;
  readonly identity: domain.Identity;
  readonly accessKeys: Pick<AccessKeys, 'issue' | 'revoke'>;
  readonly others: contracts.Others & Pick<StoreOthers, 'issueKey'>;
  readonly steps: contracts.Steps;
}

interface Worlds {
  readonly campaigns: contracts.CampaignRepositoryWorld;
  readonly identity: contracts.IdentityWorld;
}

/** A test for each case of both ports of the use case, on the store that there is when it runs. */
export function everyCaseOn(store: () => JudgedStore): void {
  casesOf('CampaignRepository', contracts.campaignRepositoryCases, () => worldsOf(store()).campaigns);
  casesOf('Identity', contracts.identityCases, () => worldsOf(store()).identity);
}

/** Leaves out the cases that need a part in `without`. */
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

const unknown = () => domain.accessKeyFrom(randomBytes(32));

function worldsOf({ campaigns, identity, accessKeys, others, steps }: JudgedStore): Worlds {
  const issued = new Map<string, domain.AccessKeyId>();
  const issue = async (owner: domain.OwnerId, expiresIn = 3_600, hosts?: domain.HostList) => {
    const only = hosts && { hosts: entriesOf(hosts) };
    const { id, key } = await accessKeys.issue({ owner, name: named('tests'), expiresIn, ...only });
    issued.set(key, id);
    const caller = { ownerId: owner, subject: domain.keySubject(id), key: id, ...(hosts && { hosts }) };
    return { id, credential: key, caller };
  };
  const revoke = (id: domain.AccessKeyId) => accessKeys.revoke({ ids: [id] });
  const keys = {
    issue: async (owner: domain.OwnerId, expiresIn?: number) => (await issue(owner, expiresIn)).id,
    revoke,
  };
  return {
    campaigns: { steps, campaigns, others, keys },
    identity: {
      ...{ steps, identity, issue, unknown, issueUnknown: others.issueKey, expires: true },
      revoke: (key) => revoke(issued.get(key) as domain.AccessKeyId),
    },
  };
}

/** The worlds of a store in memory. It has no steps, and never goes away. */
export function inMemoryWorlds(store = new InMemoryStore()): Worlds {
  const revoke = async (wanted: unknown) => {
    for (const [hashed, key] of store.accessKeys)
      if (wanted === key.id || wanted === hashed) key.isRevoked = true;
  };
  const hashed = (key: string) => hash('sha256', key);
  const edit = (id: domain.CampaignId, facts: Partial<domain.Campaign>) =>
    Object.assign(found(store.campaigns.get(id)), facts);
  return {
    campaigns: {
      campaigns: store,
      others: {
        createCampaign: async (owner) => store.createCampaign(owner),
        createMirror: async (id, address, clicks) => store.createMirror(id, address, clicks),
        transfer: async (id, ownerId) => edit(id, { ownerId }),
        setDefault: async (id, isDefault) => edit(id, { isDefault }),
        deleteMirror: async (id) => store.mirrors.delete(id),
        deleteCampaign: async (id) => store.mirrors.delete(id) && store.campaigns.delete(id),
        countClick: async (id) => found(store.mirrors.get(id)).clicks++,
        setUpdatedAt: async (id, updatedAt) => Object.assign(found(store.mirrors.get(id)), { updatedAt }),
        mirror: async (id) => structuredClone(store.mirrors.get(id)),
        history: async (id) => store.history.filter((row) => row.campaignId === id),
        clock: async () => store.clock,
      },
      keys: { issue: async (owner, expiresIn) => store.issueKey(owner, expiresIn).id, revoke },
    },
    identity: {
      identity: store,
      issue: async (ownerId, expiresIn) => {
        const { id, key } = store.issueKey(ownerId, expiresIn);
        return { credential: key, caller: { ownerId, subject: domain.keySubject(id), key: id } };
      },
      unknown,
      issueUnknown: async (owner, credential) => {
        const { key } = store.issueKey(owner);
        store.accessKeys.set(hashed(credential), found(store.accessKeys.get(hashed(key))));
      },
      expires: true,
      revoke: (key) => revoke(hashed(key)),
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no such row');
  return value;
}
