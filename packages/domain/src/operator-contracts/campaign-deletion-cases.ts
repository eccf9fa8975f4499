import type { Case } from '../contracts/case.ts';
import { expectEqual, expectThat } from '../contracts/expectations.ts';
import { change, mirrorSet, newOwner } from '../contracts/live-campaign.ts';
import type { CampaignRecord } from '../operator/campaign-record.ts';
import { keySubject } from '../values/subject.ts';
import { liveCampaign, named, nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** What may happen between the question and the answer. */
const meanwhile: Record<string, (world: StoreWorld, seen: CampaignRecord) => Promise<unknown>> = {
  'its owner': ({ others }, { id }) => others.transfer(id, newOwner()),
  'its default flag': ({ others }, { id }) => others.setDefault(id, true),
  'the address of its mirror': async (world, { id, ownerId }) => {
    const key = await world.accessKeys.issue({ owner: ownerId, name: named('rival') });
    const seen = { id, ownerId, isDefault: false, hasMirror: true };
    await mirrorSet(world, seen, change({ ownerId, subject: keySubject(key.id) }));
  },
  'that it has a mirror': ({ others }, { id }) => others.deleteMirror(id),
};

/** A campaign that is deleted. */
export const campaignDeletionCases: readonly Case<StoreWorld>[] = [
  {
    name: 'deleteCampaign: with its mirror, in its final state; the history is kept',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      await world.others.countClick(seen.id);
      const campaign = await world.records.find(seen.id);
      const history = await world.others.history(seen.id);
      expectEqual(history.length, 1, 'the number of changes');
      expectEqual(await world.settings.deleteCampaign(seen.id), { kind: 'deleted', campaign });
      expectEqual(await world.records.find(seen.id), undefined);
      expectEqual(await world.others.mirror(seen.id), undefined);
      expectEqual(await world.others.history(seen.id), history);
    },
  },
  {
    name: 'deleteCampaign: not a campaign that never existed or was deleted',
    run: async (world) => {
      expectEqual(await world.settings.deleteCampaign(nowhere), { kind: 'campaign-not-found' });
      const campaign = await seenCampaign(world);
      await world.others.deleteCampaign(campaign.id);
      const done = await world.settings.deleteCampaign(campaign.id, campaign);
      expectEqual(done, { kind: 'campaign-not-found' });
    },
  },
  {
    name: 'deleteCampaign: clicks that were counted since it was seen are no reason to refuse',
    run: async (world) => {
      const campaign = await seenCampaign(world);
      await world.others.countClick(campaign.id);
      const done = await world.settings.deleteCampaign(campaign.id, campaign);
      expectThat(done.kind === 'deleted', `deleted, not ${done.kind}`);
      expectEqual(done.campaign.mirror?.clicks, 1);
    },
  },
  ...Object.entries(meanwhile).map(
    ([what, happens]): Case<StoreWorld> => ({
      name: `deleteCampaign: not when ${what} changed since it was seen`,
      run: async (world) => {
        const campaign = await seenCampaign(world);
        await happens(world, campaign);
        const now = await world.records.find(campaign.id);
        const done = await world.settings.deleteCampaign(campaign.id, campaign);
        expectEqual(done, { kind: 'changed-meanwhile' });
        expectEqual(await world.records.find(campaign.id), now);
      },
    }),
  ),
];

async function seenCampaign(world: StoreWorld): Promise<CampaignRecord> {
  const { seen } = await liveCampaign(world);
  const campaign = await world.records.find(seen.id);
  expectThat(campaign !== undefined, 'a record of the campaign');
  return campaign;
}
