import { hash, randomBytes } from 'node:crypto';
import * as domain from '@campaign-mirror/domain';
import type * as contracts from '@campaign-mirror/port-contracts';
import { InMemoryStore } from '@campaign-mirror/port-contracts/in-memory';

export interface Worlds {
  readonly campaigns: contracts.CampaignRepositoryWorld;
  readonly identity: contracts.IdentityWorld;
}

/** A test for each case. Leaves out the cases that need a part in `without`. */
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

/** The steps of a call. The adapter awaits `next` before each step; its answer says how the step ends. */
export function stepping() {
  let ahead: Parameters<contracts.Steps>[1] | undefined;
  let step = 0;
  const steps: contracts.Steps = (call, before) => {
    [step, ahead] = [0, before];
    return call().finally(() => {
      ahead = undefined;
    });
  };
  const next = async () => (await ahead?.(step++)) ?? 'go on';
  return { steps, next };
}

export const unknown = () => domain.accessKeyFrom(randomBytes(32));

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
