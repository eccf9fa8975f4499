import {
  type AccessKeyId,
  type Campaign,
  type HistoryEntry,
  type HistoryId,
  type KeyChanges,
  type OwnerId,
  type Subject,
  subject,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import {
  address,
  after,
  before,
  type Check,
  change,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newMirror,
  newOwner,
  type World,
} from '../support/store/world.ts';

/** What every `MirrorHistory` promises. */
export const mirrorHistoryContract: readonly Check[] = [
  {
    name: 'list: each change of the campaign, as it was recorded, newest first, and nobody else’s',
    check: async (world) => {
      const { campaign, ids } = await changed(world, 3);
      await changed(world, 1);
      const entries = await world.history.list({ campaign, limit: 10 });
      expect(entries.map(({ id }) => id)).to.deep.equal(ids.toReversed());
      expect(entries).to.deep.equal((await world.others.history(campaign)).toReversed());
    },
  },
  {
    name: 'list: in pages, each behind the one before',
    check: async (world) => {
      const { campaign, ids } = await changed(world, 5);
      const [a, b, c, d, e] = ids as [HistoryId, HistoryId, HistoryId, HistoryId, HistoryId];
      const page = async (before?: HistoryId) => {
        const entries = await world.history.list({ campaign, limit: 2, ...(before && { before }) });
        return entries.map(({ id }) => id);
      };
      expect(await page()).to.deep.equal([e, d]);
      expect(await page(d)).to.deep.equal([c, b]);
      expect(await page(b)).to.deep.equal([a]);
      expect(await page(a)).to.deep.equal([]);
    },
  },
  {
    name: 'list: an act of the operator, which no key did',
    check: async (world) => {
      const { campaign, ids } = await changed(world, 1);
      const seen = { ...(await world.campaigns.find(campaign)) } as Parameters<
        World['campaigns']['setMirror']
      >[0];
      await world.operatorMirrors.setMirror(seen, { address: after, change: ids[0] as HistoryId });
      const [entry] = await world.history.list({ campaign, limit: 1 });
      expect(entry).to.include({ subject: 'operator' });
    },
  },
  {
    name: 'list: nothing of a campaign whose mirror nobody set, nor of one that never was',
    check: async (world) => {
      const { id } = await newCampaign(world);
      expect(await world.history.list({ campaign: id, limit: 10 })).to.deep.equal([]);
      const never = Number.MAX_SAFE_INTEGER as typeof id;
      expect(await world.history.list({ campaign: never, limit: 10 })).to.deep.equal([]);
    },
  },
  {
    name: 'find: one change by its number, of this campaign only',
    check: async (world) => {
      const { campaign, ids } = await changed(world, 2);
      const other = await changed(world, 1);
      const [first] = ids as [HistoryId];
      const [recorded] = await world.others.history(campaign);
      expect(await world.history.find(campaign, first)).to.deep.equal(recorded);
      expect(await world.history.find(other.campaign, first)).to.equal(undefined);
      expect(await world.history.find(campaign, Number.MAX_SAFE_INTEGER as HistoryId)).to.equal(undefined);
    },
  },
  {
    name: 'list and find: they tell of a campaign that was deleted',
    check: async (world) => {
      const { campaign, ids } = await changed(world, 2);
      const entries = await world.history.list({ campaign, limit: 10 });
      await world.others.deleteMirror(campaign);
      await world.others.deleteCampaign(campaign);
      expect(await world.history.list({ campaign, limit: 10 })).to.deep.equal(entries);
      expect(await world.history.find(campaign, ids[1] as HistoryId)).to.deep.equal(entries[0]);
    },
  },
  {
    name: 'ofKey: what was done with this key, oldest first, also to campaigns that were transferred or deleted',
    check: async (world) => {
      const { seen, by, keyId } = await liveCampaign(world);
      const others = await Promise.all([1, 2].map(() => anotherOf(world, seen.ownerId)));
      const [moved, gone] = others as [Campaign, Campaign];
      await changed(world, 1);
      for (const one of [gone, seen, moved, gone]) await mirrorSet(world, one, change(by));
      await world.others.transfer(moved.id, newOwner());
      await world.others.deleteMirror(gone.id);
      await world.others.deleteCampaign(gone.id);

      const all = await Promise.all([gone, seen, moved].map(({ id }) => world.others.history(id)));
      const entries = all.flat().toSorted((one, next) => one.id - next.id);
      expect(entries.map(({ campaignId }) => campaignId)).to.deep.equal(
        [gone, seen, moved, gone].map(({ id }) => id),
      );
      expect(await ofKey(world, { key: keyId })).to.deep.equal(entries);

      const since = entries[2]?.changedAt as HistoryEntry['changedAt'];
      const later = entries.filter(({ changedAt }) => changedAt >= since);
      expect(await ofKey(world, { key: keyId, since })).to.deep.equal(later);
    },
  },
  {
    name: 'list, find and ofKey: a change by a caller without a key is its own, and no key’s',
    check: async (world) => {
      const { seen, by, keyId } = await liveCampaign(world);
      const known = { ...by, subject: subject('jwt', String(keyId)) as Subject };
      await mirrorSet(world, seen, change(known));
      const [entry] = await world.history.list({ campaign: seen.id, limit: 1 });
      expect(entry).to.include({ subject: `jwt:${keyId}` });
      expect(await world.history.find(seen.id, entry?.id as HistoryId)).to.deep.equal(entry);
      expect(await ofKey(world, { key: keyId })).to.deep.equal([]);
    },
  },
  {
    name: 'ofKey: more than is fetched at once',
    check: async (world) => {
      const { seen, by, keyId } = await liveCampaign(world);
      const many = 1_001;
      for (let time = 1; time <= many; time++) await mirrorSet(world, seen, change(by));
      expect(await ofKey(world, { key: keyId })).to.have.length(many);
    },
  },
  {
    name: 'ofKey: nothing of a key that was never used, nor of one that never was',
    check: async (world) => {
      const { keyId } = await liveCampaign(world);
      expect(await ofKey(world, { key: keyId })).to.deep.equal([]);
      expect(await ofKey(world, { key: Number.MAX_SAFE_INTEGER as AccessKeyId })).to.deep.equal([]);
    },
  },
];

async function ofKey({ history }: World, asked: KeyChanges): Promise<HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for await (const entry of history.ofKey(asked)) entries.push(entry);
  return entries;
}

async function anotherOf(world: World, owner: OwnerId): Promise<Campaign> {
  const campaign = await newCampaign(world, owner);
  await newMirror(world, campaign.id, before);
  return { ...campaign, hasMirror: true };
}

/** A campaign whose mirror was set so often, and the numbers of the changes, oldest first. */
async function changed(world: World, times: number) {
  const { seen, by } = await liveCampaign(world);
  for (let time = 1; time <= times; time++) {
    await mirrorSet(world, seen, change(by, address(`https://example.com/${time}`), `change ${time}`));
  }
  const ids = (await world.others.history(seen.id)).map(({ id }) => id);
  return { campaign: seen.id, ids };
}
