import type { HistoryEntry } from '../operator/mirror-history.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { CampaignId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Timestamp } from '../values/timestamp.ts';
import { type SetMirror, setting, storedAs } from './broken-world.ts';
import type { CampaignRepositoryWorld, Others } from './campaign-repository-world.ts';
import type { Breakage } from './case.ts';
import { withoutKey } from './live-campaign.ts';

export const brokenWrites: readonly Breakage<CampaignRepositoryWorld>[] = [
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
    name: 'creates a missing mirror',
    broken: (right) =>
      setting(right, async (seen, change) => {
        const result = await right.campaigns.setMirror(seen, change);
        if (result.kind === 'campaign-differs' && result.campaign?.hasMirror === false)
          await right.others.createMirror(seen.id, change.address);
        return result;
      }),
  },
  {
    name: 'sets all mirrors of the owner',
    broken: (right) => {
      const created: CampaignId[] = [];
      const createCampaign: Others['createCampaign'] = async (owner, isDefault) => {
        const id = await right.others.createCampaign(owner, isDefault);
        created.push(id);
        return id;
      };
      const setMirror: SetMirror = async (seen, change) => {
        for (const id of created.filter((other) => other !== seen.id))
          await right.campaigns.setMirror({ ...seen, id }, change);
        return right.campaigns.setMirror(seen, change);
      };
      return setting(right, setMirror, { createCampaign });
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
