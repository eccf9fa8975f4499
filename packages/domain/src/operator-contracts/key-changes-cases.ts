import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields } from '../contracts/expectations.ts';
import { before, change, mirrorSet, newOwner } from '../contracts/live-campaign.ts';
import type { HistoryEntry, KeyChanges } from '../operator/mirror-history.ts';
import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { HistoryId, OwnerId } from '../values/identifiers.ts';
import { type Subject, subject } from '../values/subject.ts';
import type { Timestamp } from '../values/timestamp.ts';
import { liveCampaign, newCampaign, newMirror, nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** The changes made with a key. */
export const keyChangesCases: readonly Case<StoreWorld>[] = [
  {
    name: 'ofKey: the changes made with this key, oldest first, also of campaigns transferred or deleted since',
    run: async (world) => {
      const { seen, by, keyId } = await liveCampaign(world);
      const [moved, gone] = [await anotherOf(world, seen.ownerId), await anotherOf(world, seen.ownerId)];
      const { seen: another, by: other } = await liveCampaign(world);
      await mirrorSet(world, another, change(other));
      for (const one of [gone, seen, moved, gone]) await mirrorSet(world, one, change(by));
      await world.others.transfer(moved.id, newOwner());
      await world.others.deleteMirror(gone.id);
      await world.others.deleteCampaign(gone.id);

      const all = await Promise.all([gone, seen, moved].map(({ id }) => world.others.history(id)));
      const entries = all.flat().toSorted((one, next) => one.id - next.id);
      expectEqual(
        entries.map(({ campaignId }) => campaignId),
        [gone, seen, moved, gone].map(({ id }) => id),
      );
      expectEqual(await ofKey(world, { key: keyId }), entries);

      const since = entries[2]?.changedAt as Timestamp;
      const later = entries.filter(({ changedAt }) => changedAt >= since);
      expectEqual(await ofKey(world, { key: keyId, since }), later);
    },
  },
  {
    name: 'list, find, ofKey: a change by a caller without a key is its own, and no key’s',
    run: async (world) => {
      const { seen, by, keyId } = await liveCampaign(world);
      const known = { ...by, subject: subject('jwt', String(keyId)) as Subject };
      await mirrorSet(world, seen, change(known));
      const [entry] = await world.history.list({ campaign: seen.id, limit: 1 });
      expectFields(entry, { subject: `jwt:${keyId}` });
      expectEqual(await world.history.find(seen.id, entry?.id as HistoryId), entry);
      expectEqual(await ofKey(world, { key: keyId }), []);
    },
  },
  {
    name: 'ofKey: more than is fetched at once',
    run: async (world) => {
      const { seen, by, keyId } = await liveCampaign(world);
      const many = 1_001;
      for (let time = 1; time <= many; time++) await mirrorSet(world, seen, change(by));
      expectEqual((await ofKey(world, { key: keyId })).length, many, 'the number of changes');
    },
  },
  {
    name: 'ofKey: nothing of a key that was never used, nor of one that never existed',
    run: async (world) => {
      const { keyId } = await liveCampaign(world);
      expectEqual(await ofKey(world, { key: keyId }), []);
      expectEqual(await ofKey(world, { key: nowhere }), []);
    },
  },
];

async function ofKey({ history }: StoreWorld, asked: KeyChanges): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const entry of history.ofKey(asked)) entries.push(entry);
  return entries;
}

async function anotherOf(world: StoreWorld, owner: OwnerId): Promise<Campaign> {
  const campaign = await newCampaign(world, owner);
  await newMirror(world, campaign.id, before);
  return { ...campaign, hasMirror: true };
}
