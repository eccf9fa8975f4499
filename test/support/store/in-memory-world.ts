import {
  InMemoryCampaigns,
  InMemoryIdentity,
  InMemoryStore,
  type StoredAccessKey,
} from '@campaign-mirror/adapters-persistence/in-memory';
import {
  type AccessKeyId,
  accessKeyFrom,
  keySubject,
  type OwnerId,
  type Timestamp,
} from '@campaign-mirror/domain';
import type { CampaignRepositoryWorld, IdentityWorld } from '@campaign-mirror/domain/contracts';
import { accessKeyBytes } from '../../../packages/domain/src/values/access-key.ts';

/** In seconds. */
const hour = 3_600;

/** The worlds of the two ports of the use case, on one store in memory. */
export function inMemoryWorlds(): { campaigns: CampaignRepositoryWorld; identity: IdentityWorld } {
  const store = new InMemoryStore();
  const clock = () => new Date(Number(store.now() / 1000n)).toISOString().replace('Z', '000Z') as Timestamp;
  const change = (id: AccessKeyId, to: Partial<StoredAccessKey>) =>
    Object.assign(found(store.accessKey(id)), to);
  const forget = (id: AccessKeyId) => {
    for (const [hash, key] of store.accessKeys) if (key.id === id) store.accessKeys.delete(hash);
  };
  const issued = new Map<string, AccessKeyId>();
  const issue = (ownerId: OwnerId, expiresIn: number | 'never') => {
    const { id, key } = store.issueKey(ownerId, expiresIn);
    issued.set(key, id);
    return { credential: key, caller: { ownerId, subject: keySubject(id) } };
  };
  const idOf = (key: string) => found(issued.get(key));
  return {
    campaigns: {
      campaigns: new InMemoryCampaigns(store),
      others: {
        createCampaign: async (owner, isDefault) => store.createCampaign(owner, isDefault),
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
        // Nobody is interrupted here: all that begins before the first `await` is done at once.
        atOnce: (_, calls) => Promise.all(calls.map((call) => call())),
      },
      keys: {
        issue: async (owner) => store.issueKey(owner, hour).id,
        revoke: async (id) => change(id, { revokedAt: clock() }),
        expire: async (id) => change(id, { expiresAt: clock() }),
        delete: async (id) => forget(id),
        give: async (id, ownerId) => change(id, { ownerId }),
      },
    },
    identity: {
      identity: new InMemoryIdentity(store),
      issue: async (owner, expires) => issue(owner, expires ?? hour),
      unknown: () => accessKeyFrom(new Uint8Array(accessKeyBytes)),
      issueExpired: async (owner) => issue(owner, 0).credential,
      expire: async (key) => change(idOf(key), { expiresAt: clock() }),
      revoke: async (key) => change(idOf(key), { revokedAt: clock() }),
      forget: async (key) => forget(idOf(key)),
      claims: true,
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no such row');
  return value;
}
