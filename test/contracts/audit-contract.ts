import type { AuditEntry, AuditedAct, CampaignId, CampaignRecord } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named, tester } from '../support/store/operator.ts';
import {
  address,
  after,
  before,
  type Check,
  newCampaign,
  newMirror,
  newOwner,
  type World,
} from '../support/store/world.ts';

const nowhere = Number.MAX_SAFE_INTEGER as CampaignId;

/** What every `Audit` promises, and every `CampaignSettings` with it. */
export const auditContract: readonly Check[] = [
  {
    name: 'list: each act leaves one entry, with who, when, on what, and what else there is to know',
    check: async (world) => {
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
      expect(entries).to.deep.equal(
        expected.map(([act, ownerId, details], at) => ({
          ...tester,
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
      const times = [begun, ...entries.map(({ at }) => at).reverse(), await world.others.clock()];
      expect(times).to.deep.equal([...times].sort());
    },
  },
  {
    name: 'list: a campaign without a name or a mirror is told without',
    check: async (world) => {
      const { id } = await newCampaign(world);
      await world.settings.deleteCampaign(id);
      const entries = await world.audit.list({ campaign: id, limit: 9 });
      const details = { default: false, name: null };
      expect(entries.map((entry) => entry.details)).to.deep.equal([details, details]);
    },
  },
  {
    name: 'list: what was refused, or needed not be done, leaves nothing',
    check: async (world) => {
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
      expect(done.map(({ kind }) => kind)).to.deep.equal([
        'owner-has-default',
        'campaign-not-found',
        'mirror-exists',
        'campaign-not-found',
        'unchanged',
        'owner-has-default',
        'campaign-not-found',
        'unchanged',
        'unchanged',
        'owner-has-default',
        'campaign-not-found',
        'changed-meanwhile',
      ]);
      expect(await newest(world)).to.deep.equal(last);
    },
  },
  {
    name: 'list: by pages, the newest first, of one campaign or of all',
    check: async (world) => {
      const { id } = await newCampaign(world);
      for (const isDefault of [true, false, true]) await world.settings.setDefault(id, isDefault);
      const other = await newCampaign(world);
      const acts = (entries: AuditEntry[]) => entries.map(({ act }) => act);

      const first = await world.audit.list({ campaign: id, limit: 3 });
      expect(acts(first)).to.deep.equal(['default-set', 'default-unset', 'default-set']);
      const oldest = first[2] as AuditEntry;
      const rest = await world.audit.list({ campaign: id, before: oldest.id, limit: 3 });
      expect(acts(rest)).to.deep.equal(['campaign-created']);

      const all = await world.audit.list({ limit: 2 });
      expect(all.map(({ campaignId }) => campaignId)).to.deep.equal([other.id, id]);
      const [next] = await world.audit.list({ before: (all[0] as AuditEntry).id, limit: 1 });
      expect(next).to.deep.equal(first[0]);
    },
  },
];

async function newest(world: World): Promise<AuditEntry | undefined> {
  return (await world.audit.list({ limit: 1 }))[0];
}
