import { type CampaignId, type CampaignRecord, keySubject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import { type Check, change, liveCampaign, mirrorSet, newOwner, type World } from '../support/store/world.ts';

/** What may happen between the question and the answer. */
const meanwhile: Record<string, (world: World, seen: CampaignRecord) => Promise<unknown>> = {
  'its owner': (world, { id }) => world.others.transfer(id, newOwner()),
  'its default flag': (world, { id }) => world.others.setDefault(id, true),
  'the address of its mirror': async (world, { id, ownerId }) => {
    const key = await world.accessKeys.issue({ owner: ownerId, name: named('rival') });
    const seen = { id, ownerId, isDefault: false, hasMirror: true };
    await mirrorSet(world, seen, change({ ownerId, subject: keySubject(key.id) }));
  },
  'that it has a mirror': (world, { id }) => world.others.deleteMirror(id),
};

/** A campaign that goes. */
export const campaignDeletionChecks: readonly Check[] = [
  {
    name: 'deleteCampaign: with its mirror, as it was in the end; the history stays',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      await world.others.countClick(seen.id);
      const campaign = await world.records.find(seen.id);
      const history = await world.others.history(seen.id);
      expect(history).to.have.length(1);
      expect(await world.settings.deleteCampaign(seen.id)).to.deep.equal({ kind: 'deleted', campaign });
      expect(await world.records.find(seen.id)).to.equal(undefined);
      expect(await world.others.mirror(seen.id)).to.equal(undefined);
      expect(await world.others.history(seen.id)).to.deep.equal(history);
    },
  },
  {
    name: 'deleteCampaign: not a campaign that there is not, or is no longer',
    check: async (world) => {
      const nowhere = Number.MAX_SAFE_INTEGER as CampaignId;
      expect(await world.settings.deleteCampaign(nowhere)).to.deep.equal({ kind: 'campaign-not-found' });
      const campaign = await seenCampaign(world);
      await world.others.deleteCampaign(campaign.id);
      expect(await world.settings.deleteCampaign(campaign.id, campaign)).to.deep.equal({
        kind: 'campaign-not-found',
      });
    },
  },
  {
    name: 'deleteCampaign: clicks that were counted since it was seen are no reason to refuse',
    check: async (world) => {
      const campaign = await seenCampaign(world);
      await world.others.countClick(campaign.id);
      const done = await world.settings.deleteCampaign(campaign.id, campaign);
      expect(done).to.have.nested.property('campaign.mirror.clicks', 1);
    },
  },
  ...Object.entries(meanwhile).map(([what, happens]) => ({
    name: `deleteCampaign: not when ${what} changed since it was seen`,
    check: async (world: World) => {
      const campaign = await seenCampaign(world);
      await happens(world, campaign);
      const now = await world.records.find(campaign.id);
      const done = await world.settings.deleteCampaign(campaign.id, campaign);
      expect(done).to.deep.equal({ kind: 'changed-meanwhile' });
      expect(await world.records.find(campaign.id)).to.deep.equal(now);
    },
  })),
];

async function seenCampaign(world: World): Promise<CampaignRecord> {
  const { seen } = await liveCampaign(world);
  const campaign = await world.records.find(seen.id);
  if (!campaign) throw new Error('the campaign is not there');
  return campaign;
}
