import { type OwnerId, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { meanwhile as meanwhileOn } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { transfer } from '../support/store/grouped.ts';
import { after as afterwards, named, newCampaign, newOwner } from '../support/store/world.ts';
import { oneLine, writing } from './import-lines.ts';

const makesDefault = 'update campaign_mirror.campaigns set is_default = true where id = $1';

describe('what a rival changes at the same time, where transactions are repeatable reads by default', () => {
  const service = groupedOf('suite');
  before(async () => {
    const { admin, name } = service.database;
    await admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
  });

  const meanwhile = <T>(statement: [string, ...unknown[]], act: () => Promise<T>, end?: 'rollback') =>
    meanwhileOn(service.database, statement, act, end);

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
      const refused = await meanwhile([makesDefault, id], act);
      expect(refused).to.deep.equal({ kind: 'owner-has-default', ownerId: owner, id, name: null });
      await service.world.settings.setDefault(id, false);
      expect(await meanwhile([makesDefault, id], act, 'rollback'))
        .to.have.property('kind')
        .that.is.oneOf(['changed', 'created']);
    });
  }

  it('a campaign is transferred from, and deleted of, the owner that it has by then, if that was agreed to', async () => {
    const { id } = await newCampaign(service.world);
    const seen = await service.world.records.find(id);
    const [first, second, third] = [newOwner(), newOwner(), newOwner()];
    const { settings } = service.world;
    const kept = await meanwhile([transfer, id, first], () => settings.deleteCampaign(id, seen));
    expect(kept).to.deep.equal({ kind: 'changed-meanwhile' });
    const transferred = await meanwhile([transfer, id, second], () => settings.transfer(id, newOwner()));
    expect(transferred).to.deep.equal({ kind: 'changed', ownerId: second });
    const deleted = await meanwhile([transfer, id, third], () => settings.deleteCampaign(id));
    expect(deleted).to.have.nested.property('campaign.ownerId', third);
  });

  it('a mirror whose address is being set is not deleted as it was before; a click is waited for, and in the audit', async () => {
    const { seen, mirror } = await service.campaign();
    const campaign = await service.world.records.find(seen.id);
    const sets = 'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1';
    const { settings, others, audit } = service.world;
    const kept = await meanwhile([sets, seen.id, afterwards], () =>
      settings.deleteCampaign(seen.id, campaign),
    );
    expect(kept).to.deep.equal({ kind: 'changed-meanwhile' });
    expect(await others.mirror(seen.id)).to.deep.equal({ ...mirror, targetUrl: afterwards });

    const counts = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1';
    const deleted = await meanwhile([counts, seen.id], () => settings.deleteCampaign(seen.id));
    expect(deleted).to.have.nested.property('campaign.mirror.clicks', 1);
    const [entry] = await audit.list({ campaign: seen.id, limit: 1 });
    expect(entry?.details).to.include({ clicks: 1 });
  });

  it('a mirror is not created for a campaign that is being deleted', async () => {
    const { id } = await newCampaign(service.world);
    const deletes = 'delete from campaign_mirror.campaigns where id = $1';
    const done = await meanwhile([deletes, id], () => service.world.settings.createMirror(id, afterwards));
    expect(done).to.deep.equal({ kind: 'campaign-not-found' });
  });

  it('a key that another revokes is not rotated, one beside it is; of two rotations the second hears which key took its place', async () => {
    const { accessKeys } = service.world;
    const owner = newOwner();
    const { id } = await accessKeys.issue({ owner, name: named('script') });
    const holds = 'select from campaign_mirror.access_keys where id = $1 for update';
    const rotate = () => accessKeys.rotate(id, 60);
    const another = await accessKeys.issue({ owner: newOwner(), name: named('another') });
    const holder = await service.hold(holds.replace('$1', String(another.id)));
    const alone = await accessKeys.issue({ owner: newOwner(), name: named('alone') });
    await accessKeys.rotate(alone.id, 60).finally(holder.rollback);
    const answers = await meanwhile([holds, id], () => Promise.all([rotate(), rotate()]));
    expect(answers.map(({ kind }) => kind)).to.have.members(['rotated', 'key-replaced']);
    const [next, ...others] = (await accessKeys.list({ owner, limit: 9 })).filter((one) => one.id !== id);
    expect(others).to.deep.equal([]);
    const revokes = 'update campaign_mirror.access_keys set revoked_at = now() where id = $1';
    const rotated = await meanwhile([revokes, next?.id], () => accessKeys.rotate(next?.id ?? id, 0));
    expect(rotated).to.deep.equal({ kind: 'key-revoked' });
  });

  it('a number that another takes during an import: nothing is imported, and the next one names the line', async () => {
    const importing = () => service.world.imports.importAll('some.csv', oneLine(1, 5000), writing);
    const takes = 'insert into campaign_mirror.campaigns (id, owner_id) values (5000, 9)';
    expect(await meanwhile([takes], () => rejection(importing()))).to.be.instanceOf(Unavailable);
    const { invalidLines, faults } = await importing();
    expect(invalidLines).to.equal(1);
    expect(faults.map(({ line, fault }) => [line, fault])).to.deep.equal([[2, 'campaign-taken']]);
  });
});
