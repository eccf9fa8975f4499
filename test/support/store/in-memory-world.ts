import { createHash } from 'node:crypto';
import {
  InMemoryAccessKeys,
  InMemoryAudit,
  InMemoryCampaignExport,
  InMemoryCampaignImport,
  InMemoryCampaignRecords,
  InMemoryCampaigns,
  InMemoryHistoryPruning,
  InMemoryMirrorHistory,
  InMemoryMirrorMoves,
  InMemoryOperatorMirrors,
  InMemorySettings,
  InMemoryStore,
} from '@campaign-mirror/adapters-persistence/in-memory';
import {
  type AccessKeyId,
  type CampaignId,
  type MirrorId,
  type OwnerId,
  operatorSubject,
  type Timestamp,
} from '@campaign-mirror/domain';
import { tester } from './operator.ts';
import { after, before, type World } from './world.ts';

export function inMemoryWorld(): World {
  const store = new InMemoryStore();
  const keys = new InMemoryAccessKeys(store, tester);
  const campaign = (id: CampaignId) => found(store.campaigns.get(id));
  const mirror = (id: CampaignId) => found(store.mirrors.get(id));
  const clock = () => new Date(Number(store.now() / 1000n)).toISOString().replace('Z', '000Z') as Timestamp;
  const key = (id: AccessKeyId) => found([...store.accessKeys].find(([, one]) => one.id === id));
  return {
    act: tester,
    campaigns: new InMemoryCampaigns(store),
    settings: new InMemorySettings(store, tester),
    records: new InMemoryCampaignRecords(store),
    accessKeys: keys,
    identity: keys,
    history: new InMemoryMirrorHistory(store),
    operatorMirrors: new InMemoryOperatorMirrors(store, tester),
    mirrorMoves: new InMemoryMirrorMoves(store, tester),
    audit: new InMemoryAudit(store),
    imports: new InMemoryCampaignImport(store, tester),
    exports: new InMemoryCampaignExport(store),
    historyPruning: new InMemoryHistoryPruning(store, tester),
    others: {
      transfer: async (id, ownerId) => void Object.assign(campaign(id), { ownerId }),
      setDefault: async (id, isDefault) => void Object.assign(campaign(id), { isDefault }),
      deleteMirror: async (id) => void store.mirrors.delete(id),
      deleteCampaign: async (id) => {
        store.mirrors.delete(id);
        store.campaigns.delete(id);
      },
      countClick: async (id) => void mirror(id).clicks++,
      setUpdatedAt: async (id, updatedAt) => void Object.assign(mirror(id), { updatedAt }),
      expireKey: async (id) => {
        const [hash, stored] = key(id);
        store.accessKeys.set(hash, { ...stored, expiresAt: clock() });
      },
      giveKey: async (id, ownerId) => {
        const [hash, stored] = key(id);
        store.accessKeys.set(hash, { ...stored, ownerId });
      },
      deleteKey: async (id) => void store.accessKeys.delete(key(id)[0]),
      usesAreWritten: async () => {},
      clock: async () => clock(),
      mirror: async (id) => {
        const stored = store.mirrors.get(id);
        return stored && { ...stored };
      },
      recordChange: async (campaignId, changedAt) =>
        store.recordChange({
          campaignId,
          changedAt,
          mirrorId: 1 as MirrorId,
          subject: operatorSubject,
          ownerId: 1 as OwnerId,
          addressBefore: before,
          addressAfter: after,
          requestId: 'recorded',
        }),
      history: async (id) => store.history.filter((row) => row.campaignId === id),
      storedKey: async (id) => {
        const [hash, stored] = key(id);
        return `${hash} ${Object.values(stored).join(' ')}`;
      },
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      // Nobody is interrupted here: all that begins before the first `await` is done at once.
      atOnce: (_, calls) => Promise.all(calls.map((call) => call())),
    },
    close: async () => {},
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no such row');
  return value;
}
