import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields } from '../contracts/expectations.ts';
import { address, after, change, mirrorSet } from '../contracts/live-campaign.ts';
import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { HistoryId } from '../values/identifiers.ts';
import { liveCampaign, newCampaign, nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** The changes of a campaign. */
export const mirrorHistoryCases: readonly Case<StoreWorld>[] = [
  {
    name: 'list: each change of the campaign, as it was recorded, newest first, and of no other',
    run: async (world) => {
      const { campaign, ids } = await changed(world, 3);
      await changed(world, 1);
      const entries = await world.history.list({ campaign, limit: 10 });
      expectEqual(
        entries.map(({ id }) => id),
        ids.toReversed(),
      );
      expectEqual(entries, (await world.others.history(campaign)).toReversed());
    },
  },
  {
    name: 'list: in pages, each after the one before',
    run: async (world) => {
      const { campaign, ids } = await changed(world, 5);
      const [a, b, c, d, e] = ids as [HistoryId, HistoryId, HistoryId, HistoryId, HistoryId];
      const page = async (before?: HistoryId) => {
        const entries = await world.history.list({ campaign, limit: 2, ...(before && { before }) });
        return entries.map(({ id }) => id);
      };
      expectEqual(await page(), [e, d]);
      expectEqual(await page(d), [c, b]);
      expectEqual(await page(b), [a]);
      expectEqual(await page(a), []);
    },
  },
  {
    name: 'list: an act of the operator, which no key did',
    run: async (world) => {
      const { campaign, ids } = await changed(world, 1);
      const seen = (await world.campaigns.find(campaign)) as Campaign;
      await world.operatorMirrors.setMirror(seen, { address: after, change: ids[0] as HistoryId });
      const [entry] = await world.history.list({ campaign, limit: 1 });
      expectFields(entry, { subject: 'operator' });
    },
  },
  {
    name: 'list: nothing of a campaign whose mirror nobody set, nor of one that never existed',
    run: async (world) => {
      const { id } = await newCampaign(world);
      expectEqual(await world.history.list({ campaign: id, limit: 10 }), []);
      expectEqual(await world.history.list({ campaign: nowhere, limit: 10 }), []);
    },
  },
  {
    name: 'find: one change by its number, of this campaign only',
    run: async (world) => {
      const { campaign, ids } = await changed(world, 2);
      const other = await changed(world, 1);
      const [first] = ids as [HistoryId];
      const [recorded] = await world.others.history(campaign);
      expectEqual(await world.history.find(campaign, first), recorded);
      expectEqual(await world.history.find(other.campaign, first), undefined);
      expectEqual(await world.history.find(campaign, nowhere), undefined);
    },
  },
  {
    name: 'list, find: the changes of a campaign that was deleted',
    run: async (world) => {
      const { campaign, ids } = await changed(world, 2);
      const entries = await world.history.list({ campaign, limit: 10 });
      await world.others.deleteMirror(campaign);
      await world.others.deleteCampaign(campaign);
      expectEqual(await world.history.list({ campaign, limit: 10 }), entries);
      expectEqual(await world.history.find(campaign, ids[1] as HistoryId), entries[0]);
    },
  },
];

/** A campaign whose mirror was set so often, and the numbers of the changes, oldest first. */
async function changed(world: StoreWorld, times: number) {
  const { seen, by } = await liveCampaign(world);
  for (let time = 1; time <= times; time++) {
    await mirrorSet(world, seen, change(by, address(`https://example.com/${time}`), `change ${time}`));
  }
  const ids = (await world.others.history(seen.id)).map(({ id }) => id);
  return { campaign: seen.id, ids };
}
