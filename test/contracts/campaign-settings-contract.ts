import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { named } from '../support/store/operator.ts';
import {
  address,
  after,
  before,
  type Check,
  liveCampaign,
  newCampaign,
  newMirror,
  newOwner,
} from '../support/store/world.ts';
import { campaignDeletionChecks } from './campaign-deletion-contract.ts';
import { campaignTransferChecks } from './campaign-transfer-contract.ts';

/** What every `CampaignSettings` promises. */
export const campaignSettingsContract: readonly Check[] = [
  {
    name: 'createCampaign: as it was asked for, under a number of its own',
    check: async (world) => {
      const owner = newOwner();
      const first = await newCampaign(world, owner);
      const second = await newCampaign(world, owner);
      expect(first.id).not.to.equal(second.id);
      expect(await world.campaigns.find(first.id)).to.deep.equal(first);
      expect(await world.campaigns.find(second.id)).to.deep.equal(second);
    },
  },
  {
    name: 'createCampaign: contract: default campaign — an owner has at most one; which one is told',
    check: async (world) => {
      const owner = newOwner();
      await newCampaign(world, owner);
      const name = named('first');
      const { id } = await world.settings.createCampaign({ owner, isDefault: true, name });
      const second = await world.settings.createCampaign({ owner, isDefault: true, name: named('second') });
      expect(second).to.deep.equal({ kind: 'owner-has-default', ownerId: owner, id, name });
      expect(await world.settings.createCampaign({ owner, isDefault: false })).to.include({
        kind: 'created',
      });
      const other = await world.settings.createCampaign({ owner: newOwner(), isDefault: true });
      expect(other).to.include({ kind: 'created' });
    },
  },
  {
    name: 'createMirror: contract: time — one that was never updated externally, with no clicks; the address byte for byte',
    check: async (world) => {
      const { id } = await newCampaign(world);
      const odd = address('HTTPS://B\u00dcCHER.example/{id}?a=?&b=$1&c=[x]|%7e&d=\'"\u{1f389}');
      const mirror = await newMirror(world, id, odd);
      expect(mirror).to.deep.equal({
        id: mirror.id,
        campaignId: id,
        targetUrl: odd,
        clicks: 0,
        updatedExternally: false,
        updatedExternallyAt: null,
        createdAt: mirror.createdAt,
        updatedAt: mirror.createdAt,
      });
      expect(mirror.createdAt).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(await world.others.mirror(id)).to.deep.equal(mirror);
      expect(await world.others.history(id)).to.deep.equal([]);
    },
  },
  {
    name: 'createMirror: a campaign has one; the one that it has stays as it is; none where there is no campaign',
    check: async (world) => {
      const { seen, mirror } = await liveCampaign(world);
      expect(await world.settings.createMirror(seen.id, after)).to.deep.equal({ kind: 'mirror-exists' });
      expect(await world.others.mirror(seen.id)).to.deep.equal(mirror);
      const nowhere = Number.MAX_SAFE_INTEGER as CampaignId;
      expect(await world.settings.createMirror(nowhere, after)).to.deep.equal({ kind: 'campaign-not-found' });
    },
  },
  {
    name: 'createMirror: of ten that race, one is created',
    check: async (world) => {
      const { id } = await newCampaign(world);
      const create = () => world.settings.createMirror(id, before);
      const created = await Promise.all(Array.from({ length: 10 }, create));
      expect(created.filter(({ kind }) => kind === 'created')).to.have.length(1);
      expect(created.filter(({ kind }) => kind === 'mirror-exists')).to.have.length(9);
    },
  },
  ...campaignTransferChecks,
  ...campaignDeletionChecks,
];
