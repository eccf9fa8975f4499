import * as memory from '@campaign-mirror/adapters-persistence/in-memory';
import type { AccessKeyId } from '@campaign-mirror/domain';
import { timestampOf } from '../../../packages/adapters-persistence/src/schema/times.ts';
import { type JudgedStore, worldsOf } from './every-case.ts';

export const inMemoryWorlds = () => worldsOf(inMemoryStore());

/** A store whose clock has microseconds, in which every pause shows. */
export const preciseStore = () =>
  new memory.InMemoryStore(() => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)));

export function inMemoryStore(store = new memory.InMemoryStore()): JudgedStore {
  const clock = () => timestampOf(store.now());
  const change = (id: AccessKeyId, to: Partial<memory.StoredAccessKey>) =>
    Object.assign(found(store.accessKey(id)), to);
  return {
    campaigns: new memory.InMemoryCampaigns(store),
    identity: new memory.InMemoryIdentity(store),
    accessKeys: {
      issue: async ({ owner, expiresIn }) => store.issueKey(owner, expiresIn),
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
