import type { Case } from '../contracts/case.ts';
import { expectAscending, expectEqual } from '../contracts/expectations.ts';
import { address, after, before, newOwner } from '../contracts/live-campaign.ts';
import type { AuditEntry, AuditedAct } from '../operator/audit.ts';
import type { CampaignRecord } from '../operator/campaign-record.ts';
import { named, newCampaign, newMirror, nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** What every `Audit` promises, and every `CampaignSettings` with it. */
export const auditCases: readonly Case<StoreWorld>[] = [
  {
    name: 'list: each act leaves one entry, with who, when, on what, and what else there is to know',
    run: async (world) => {
      const [owner, to] = [newOwner(), newOwner()];
      const name = named('Summer');
      const begun = await world.others.clock();
      const { id } = await world.settings.createCampaign({ owner, isDefault: true, name });
      await world.settings.setDefault(id, false);
      await world.settings.createMirror(id, address('https://example.com/?a={b}'));
      await world.others.countClick(id);
      await world.settings.transfer(id, to);
      await world.settings.setDefault(id, true);
      await world.settings.deleteCampaign(id);

      const entries = await world.audit.list({ campaign: id, limit: 9 });
      const target_url = 'https://example.com/?a={b}';
      const expected: [AuditedAct, number, AuditEntry['details']][] = [
        ['campaign-deleted', to, { default: true, name, target_url, clicks: 1 }],
        ['default-set', to, { name }],
        ['campaign-transferred', to, { owner_id_before: owner, default: false, name }],
        ['mirror-created', owner, { target_url }],
        ['default-unset', owner, { name }],
        ['campaign-created', owner, { default: true, name }],
      ];
      expectEqual(
        entries,
        expected.map(([act, ownerId, details], at) => ({
          ...world.act,
          databaseRole: entries[at]?.databaseRole,
          id: entries[at]?.id,
          at: entries[at]?.at,
          act,
          campaignId: id,
          ownerId,
          accessKeyId: null,
          details,
        })),
      );
      expectAscending([begun, ...entries.map(({ at }) => at).reverse(), await world.others.clock()]);
    },
  },
  {
    name: 'list: the entry of a campaign without a name or a mirror has neither',
    run: async (world) => {
      const { id } = await newCampaign(world);
      await world.settings.deleteCampaign(id);
      const entries = await world.audit.list({ campaign: id, limit: 9 });
      const details = { default: false, name: null };
      expectEqual(
        entries.map((entry) => entry.details),
        [details, details],
      );
    },
  },
  {
    name: 'list: an act that was refused or not needed leaves no entry',
    run: async (world) => {
      const theirs = await newCampaign(world, newOwner(), true);
      const mine = await newCampaign(world, newOwner(), true);
      const ordinary = await newCampaign(world, theirs.ownerId);
      await newMirror(world, mine.id, before);
      const seen = await world.records.find(mine.id);
      const settings = world.settings;
      const last = await newest(world);

      const done: { kind: string }[] = [
        await settings.createCampaign({ owner: mine.ownerId, isDefault: true }),
        await settings.createMirror(nowhere, before),
        await settings.createMirror(mine.id, after),
        await settings.transfer(nowhere, mine.ownerId),
        await settings.transfer(mine.id, mine.ownerId),
        await settings.transfer(mine.id, theirs.ownerId),
        await settings.setDefault(nowhere, true),
        await settings.setDefault(mine.id, true),
        await settings.setDefault(ordinary.id, false),
        await settings.setDefault(ordinary.id, true),
        await settings.deleteCampaign(nowhere),
        await settings.deleteCampaign(mine.id, { ...(seen as CampaignRecord), name: 'another' }),
      ];
      const kinds = [
        ['owner-has-default', 'campaign-not-found', 'mirror-exists'],
        ['campaign-not-found', 'unchanged', 'owner-has-default'],
        ['campaign-not-found', 'unchanged', 'unchanged', 'owner-has-default'],
        ['campaign-not-found', 'changed-meanwhile'],
      ];
      expectEqual(
        done.map(({ kind }) => kind),
        kinds.flat(),
      );
      expectEqual(await newest(world), last);
    },
  },
  {
    name: 'list: by pages, the newest first, of one campaign or of all',
    run: async (world) => {
      const { id } = await newCampaign(world);
      for (const isDefault of [true, false, true]) await world.settings.setDefault(id, isDefault);
      const other = await newCampaign(world);
      const acts = (entries: AuditEntry[]) => entries.map(({ act }) => act);

      const first = await world.audit.list({ campaign: id, limit: 3 });
      expectEqual(acts(first), ['default-set', 'default-unset', 'default-set']);
      const oldest = first[2] as AuditEntry;
      const rest = await world.audit.list({ campaign: id, before: oldest.id, limit: 3 });
      expectEqual(acts(rest), ['campaign-created']);

      const all = await world.audit.list({ limit: 2 });
      expectEqual(
        all.map(({ campaignId }) => campaignId),
        [other.id, id],
      );
      const [next] = await world.audit.list({ before: (all[0] as AuditEntry).id, limit: 1 });
      expectEqual(next, first[0]);
    },
  },
];

async function newest(world: StoreWorld): Promise<AuditEntry | undefined> {
  return (await world.audit.list({ limit: 1 }))[0];
}
