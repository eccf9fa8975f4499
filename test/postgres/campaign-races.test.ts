import type { OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import {
  after as afterwards,
  liveCampaign,
  newCampaign,
  newOwner,
  type World,
} from '../support/store/world.ts';

describe('campaigns that a rival changes at the same time', () => {
  let database: TestDatabase;
  let world: World;
  before(async () => {
    database = await freshDatabase();
    world = await postgresWorld(database);
  });
  after(async () => {
    await world.close();
    await database.drop();
  });

  /** Begins while the rival holds what it changed, and goes on when that is committed or not. */
  async function overtaken<T>(other: Rival, end: 'commit' | 'rollback', act: () => Promise<T>): Promise<T> {
    const acting = act();
    await untilWaiting(database, acting);
    await other[end]();
    return acting;
  }

  const acts: Record<string, (owner: OwnerId) => Promise<() => Promise<unknown>>> = {
    'set-default': async (owner) => {
      const { id } = await newCampaign(world, owner);
      return () => world.settings.setDefault(id, true);
    },
    transfer: async (owner) => {
      const { id } = await newCampaign(world, newOwner(), true);
      return () => world.settings.transfer(id, owner);
    },
    create: async (owner) => () => world.settings.createCampaign({ owner, isDefault: true }),
  };
  for (const [name, prepared] of Object.entries(acts)) {
    it(`${name}: the default campaign that a rival commits first is told; one that it takes back is none`, async () => {
      const owner = newOwner();
      const { id } = await newCampaign(world, owner);
      const act = await prepared(owner);
      const rivalSets = async () => {
        const other = await rival(database);
        await other.run('update campaign_mirror.campaigns set is_default = true where id = $1', id);
        return other;
      };
      const refused = await overtaken(await rivalSets(), 'commit', act);
      expect(refused).to.deep.equal({ kind: 'owner-has-default', ownerId: owner, id, name: null });

      await world.settings.setDefault(id, false);
      expect(await overtaken(await rivalSets(), 'rollback', act))
        .to.have.property('kind')
        .that.is.oneOf(['changed', 'transferred', 'created']);
    });
  }

  it('a campaign that is being transferred is not deleted as it was before, and is transferred from the right owner', async () => {
    const { id } = await newCampaign(world);
    const seen = await world.records.find(id);
    const [second, third] = [newOwner(), newOwner()];
    const rivalTransfers = async (to: OwnerId) => {
      const other = await rival(database);
      await other.run('update campaign_mirror.campaigns set owner_id = $2 where id = $1', id, to);
      return other;
    };
    const deletion = await overtaken(await rivalTransfers(second), 'commit', () =>
      world.settings.deleteCampaign(id, seen),
    );
    expect(deletion).to.deep.equal({ kind: 'changed-meanwhile' });
    const transfer = await overtaken(await rivalTransfers(third), 'commit', () =>
      world.settings.transfer(id, newOwner()),
    );
    expect(transfer).to.deep.equal({ kind: 'transferred', from: third });
  });

  it('a mirror whose address is being set is not deleted as it was before', async () => {
    const { seen, mirror } = await liveCampaign(world);
    const campaign = await world.records.find(seen.id);
    const other = await rival(database);
    await other.run('select from campaign_mirror.campaigns where id = $1 for share', seen.id);
    await other.run(
      'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1',
      seen.id,
      afterwards,
    );
    const done = await overtaken(other, 'commit', () => world.settings.deleteCampaign(seen.id, campaign));
    expect(done).to.deep.equal({ kind: 'changed-meanwhile' });
    expect(await world.others.mirror(seen.id)).to.deep.equal({ ...mirror, targetUrl: afterwards });
  });

  it('a click that is being counted is waited for, and in the count that the audit keeps', async () => {
    const { seen } = await liveCampaign(world);
    const other = await rival(database);
    await other.run('update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1', seen.id);
    const done = await overtaken(other, 'commit', () => world.settings.deleteCampaign(seen.id));
    expect(done).to.have.nested.property('campaign.mirror.clicks', 1);
    const [entry] = await world.audit.list({ campaign: seen.id, limit: 1 });
    expect(entry?.details).to.include({ clicks: 1 });
  });

  it('a mirror is not created for a campaign that is being deleted', async () => {
    const { id } = await newCampaign(world);
    const other = await rival(database);
    await other.run('delete from campaign_mirror.campaigns where id = $1', id);
    const done = await overtaken(other, 'commit', () => world.settings.createMirror(id, afterwards));
    expect(done).to.deep.equal({ kind: 'campaign-not-found' });
  });
});
