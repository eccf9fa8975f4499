import type { OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { after as afterwards, newCampaign, newOwner } from '../support/store/world.ts';

describe('campaigns that a rival changes at the same time', () => {
  const service = liveServiceOf('suite');

  /** Begins while the rival holds what it changed, and goes on when that is committed or not. */
  async function overtaken<T>(other: Rival, end: 'commit' | 'rollback', act: () => Promise<T>): Promise<T> {
    const acting = act();
    await untilWaiting(service.database, acting);
    await other[end]();
    return acting;
  }

  const acts: Record<string, (owner: OwnerId) => Promise<() => Promise<unknown>>> = {
    'set-default': async (owner) => {
      const { id } = await newCampaign(service.world, owner);
      return () => service.world.settings.setDefault(id, true);
    },
    transfer: async (owner) => {
      const { id } = await newCampaign(service.world, newOwner(), true);
      return () => service.world.settings.transfer(id, owner);
    },
    create: async (owner) => () => service.world.settings.createCampaign({ owner, isDefault: true }),
  };
  for (const [name, prepared] of Object.entries(acts)) {
    it(`${name}: the default campaign that a rival commits first is told; one that it takes back is none`, async () => {
      const owner = newOwner();
      const { id } = await newCampaign(service.world, owner);
      const act = await prepared(owner);
      const rivalSets = async () => {
        const other = await rival(service.database);
        await other.run('update campaign_mirror.campaigns set is_default = true where id = $1', id);
        return other;
      };
      const refused = await overtaken(await rivalSets(), 'commit', act);
      expect(refused).to.deep.equal({ kind: 'owner-has-default', ownerId: owner, id, name: null });

      await service.world.settings.setDefault(id, false);
      expect(await overtaken(await rivalSets(), 'rollback', act))
        .to.have.property('kind')
        .that.is.oneOf(['changed', 'transferred', 'created']);
    });
  }

  it('a campaign that is being transferred is not deleted as it was before, and is transferred from the right owner', async () => {
    const { id } = await newCampaign(service.world);
    const seen = await service.world.records.find(id);
    const [second, third] = [newOwner(), newOwner()];
    const rivalTransfers = async (to: OwnerId) => {
      const other = await rival(service.database);
      await other.run('update campaign_mirror.campaigns set owner_id = $2 where id = $1', id, to);
      return other;
    };
    const deletion = await overtaken(await rivalTransfers(second), 'commit', () =>
      service.world.settings.deleteCampaign(id, seen),
    );
    expect(deletion).to.deep.equal({ kind: 'changed-meanwhile' });
    const transfer = await overtaken(await rivalTransfers(third), 'commit', () =>
      service.world.settings.transfer(id, newOwner()),
    );
    expect(transfer).to.deep.equal({ kind: 'transferred', from: third });
  });

  it('a mirror whose address is being set is not deleted as it was before', async () => {
    const { seen, mirror } = await service.campaign();
    const campaign = await service.world.records.find(seen.id);
    const other = await rival(service.database);
    await other.run('select from campaign_mirror.campaigns where id = $1 for share', seen.id);
    await other.run(
      'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1',
      seen.id,
      afterwards,
    );
    const done = await overtaken(other, 'commit', () =>
      service.world.settings.deleteCampaign(seen.id, campaign),
    );
    expect(done).to.deep.equal({ kind: 'changed-meanwhile' });
    expect(await service.world.others.mirror(seen.id)).to.deep.equal({ ...mirror, targetUrl: afterwards });
  });

  it('a click that is being counted is waited for, and in the count that the audit keeps', async () => {
    const { seen } = await service.campaign();
    const other = await rival(service.database);
    await other.run('update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1', seen.id);
    const done = await overtaken(other, 'commit', () => service.world.settings.deleteCampaign(seen.id));
    expect(done).to.have.nested.property('campaign.mirror.clicks', 1);
    const [entry] = await service.world.audit.list({ campaign: seen.id, limit: 1 });
    expect(entry?.details).to.include({ clicks: 1 });
  });

  it('a mirror is not created for a campaign that is being deleted', async () => {
    const { id } = await newCampaign(service.world);
    const other = await rival(service.database);
    await other.run('delete from campaign_mirror.campaigns where id = $1', id);
    const done = await overtaken(other, 'commit', () => service.world.settings.createMirror(id, afterwards));
    expect(done).to.deep.equal({ kind: 'campaign-not-found' });
  });
});
