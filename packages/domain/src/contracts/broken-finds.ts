import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import { finding } from './broken-world.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import type { Breakage } from './case.ts';

export const brokenFinds: readonly Breakage<CampaignRepositoryWorld>[] = [
  {
    name: 'finds what it found before',
    broken: (right) => {
      const found = new Map<CampaignId, Campaign>();
      return finding(right, async (id) => {
        const campaign = found.get(id) ?? (await right.campaigns.find(id));
        if (campaign) found.set(id, campaign);
        return campaign;
      });
    },
  },
  {
    name: 'finds what it hopes for',
    broken: (right) =>
      finding(right, async (id) => {
        const { ownerId = 1 as OwnerId } = (await right.campaigns.find(id)) ?? {};
        return { id, ownerId, isDefault: false, hasMirror: true };
      }),
  },
  {
    name: 'rounds the owner',
    broken: (right) =>
      finding(right, async (id) => {
        const campaign = await right.campaigns.find(id);
        return campaign && { ...campaign, ownerId: Math.fround(campaign.ownerId) as OwnerId };
      }),
  },
];
