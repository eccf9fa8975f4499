import type { HistoryEntry } from '../operator/mirror-history.ts';
import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { CampaignRepository } from '../set-campaign-mirror/campaign-repository.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { CampaignId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Timestamp } from '../values/timestamp.ts';
import type { CampaignRepositoryWorld, Others } from './campaign-repository-world.ts';
import type { Breakage } from './case.ts';
import { withoutKey } from './live-campaign.ts';

type World = CampaignRepositoryWorld;
type SetMirror = CampaignRepository['setMirror'];

/**
 * Breaks a correct repository, to show that the cases notice it. What is stored is broken as others see it, so that
 * this works with any store.
 */
export const brokenRepositories: readonly Breakage<World>[] = [
  {
    name: 'writes blindly',
    broken: (right) =>
      setting(right, async (seen, change) => {
        const now = await right.campaigns.find(seen.id);
        return right.campaigns.setMirror(now ? { ...now, hasMirror: seen.hasMirror } : seen, change);
      }),
  },
  {
    name: 'trusts the claim',
    needs: 'keys',
    broken: (right) =>
      setting(right, async (seen, change) => {
        const result = await right.campaigns.setMirror(seen, change);
        if (result.kind !== 'caller-invalid') return result;
        return right.campaigns.setMirror(seen, { ...change, by: { ...change.by, subject: withoutKey } });
      }),
  },
  {
    name: 'returns stale facts',
    broken: (right) =>
      setting(right, async (seen, change) => {
        const result = await right.campaigns.setMirror(seen, change);
        return result.kind === 'campaign-differs' ? { ...result, campaign: seen } : result;
      }),
  },
  {
    name: 'finds what it found before',
    broken: (right) => {
      const found = new Map<CampaignId, Campaign>();
      const find = async (id: CampaignId) => {
        const campaign = found.get(id) ?? (await right.campaigns.find(id));
        if (campaign) found.set(id, campaign);
        return campaign;
      };
      return { ...right, campaigns: { ...setting(right).campaigns, find } };
    },
  },
  {
    name: 'changes the address',
    broken: (right) =>
      setting(right, (seen, change) =>
        right.campaigns.setMirror(seen, {
          ...change,
          address: change.address.toLowerCase() as MirrorAddress,
        }),
      ),
  },
  {
    name: 'forgets the clicks',
    broken: (right) => {
      const forgotten = new Map<CampaignId, number>();
      const asBroken = (mirror: Mirror) => ({
        ...mirror,
        clicks: mirror.clicks - (forgotten.get(mirror.campaignId) ?? 0),
      });
      return setting(
        right,
        async (seen, change) => {
          const result = await right.campaigns.setMirror(seen, change);
          if (result.kind !== 'mirror-set') return result;
          forgotten.set(seen.id, result.mirror.clicks);
          return { ...result, mirror: asBroken(result.mirror) };
        },
        { mirror: storedAs(right, asBroken) },
      );
    },
  },
  {
    name: 'has times that do not rise',
    broken: (right) => {
      const asBroken = (mirror: Mirror) => ({ ...mirror, updatedAt: mirror.createdAt });
      return setting(
        right,
        async (seen, change) => {
          const result = await right.campaigns.setMirror(seen, change);
          return result.kind === 'mirror-set' ? { ...result, mirror: asBroken(result.mirror) } : result;
        },
        { mirror: storedAs(right, asBroken) },
      );
    },
  },
  {
    name: 'loses the history',
    broken: (right) => setting(right, undefined, { history: async () => [] }),
  },
  {
    name: 'has a stale before',
    broken: (right) => {
      const stale = new Map<Timestamp, MirrorAddress>();
      const asBroken = (row: HistoryEntry) => ({
        ...row,
        addressBefore: stale.get(row.changedAt) ?? row.addressBefore,
      });
      return setting(
        right,
        async (seen, change) => {
          const before = await right.others.mirror(seen.id);
          const result = await right.campaigns.setMirror(seen, change);
          if (result.kind === 'mirror-set' && before) stale.set(result.mirror.updatedAt, before.targetUrl);
          return result;
        },
        { history: async (campaign) => (await right.others.history(campaign)).map(asBroken) },
      );
    },
  },
];

/** The right world but for what is broken. */
function setting(right: World, setMirror?: SetMirror, others: Partial<Others> = {}): World {
  const { campaigns } = right;
  return {
    ...right,
    campaigns: {
      find: (id) => campaigns.find(id),
      setMirror: setMirror ?? ((seen, change) => campaigns.setMirror(seen, change)),
    },
    others: { ...right.others, ...others },
  };
}

function storedAs({ others }: World, asBroken: (mirror: Mirror) => Mirror): Others['mirror'] {
  return async (campaign) => {
    const mirror = await others.mirror(campaign);
    return mirror && asBroken(mirror);
  };
}
