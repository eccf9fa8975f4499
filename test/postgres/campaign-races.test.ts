import type { OwnerId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { meanwhile as meanwhileOn } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { setAddress, transfer } from '../support/store/grouped.ts';
import { after as afterwards, named, newCampaign, newOwner } from '../support/store/world.ts';

const makesDefault = 'update campaign_mirror.campaigns set is_default = true where id = $1';

describe('acts of the operator beside a rival, on a database whose default is repeatable read', () => {
  const service = groupedOf('suite');
  before(async () => {
    const { admin, name } = service.database;
    await admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
  });

  const meanwhile = <T>(statement: [string, ...unknown[]], act: () => Promise<T>) =>
    meanwhileOn(service.database, statement, act);

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
  for (const [name, prepared] of Object.entries(acts))
    it(`${name} names the default campaign that a rival commits first`, async () => {
      const owner = newOwner();
      const { id } = await newCampaign(service.world, owner);
      const act = await prepared(owner);
      const refused = await meanwhile([makesDefault, id], act);
      expect(refused).to.deep.equal({ kind: 'owner-has-default', ownerId: owner, id, name: null });
    });

  it('a campaign that changes after it was shown is not deleted', async () => {
    const { settings, records, others } = service.world;
    const { seen, mirror } = await service.campaign();
    const changes: [string, unknown][] = [
      [setAddress, afterwards],
      [transfer, newOwner()],
    ];
    for (const [statement, value] of changes) {
      const shown = await records.find(seen.id);
      const kept = await meanwhile([statement, seen.id, value], () =>
        settings.deleteCampaign(seen.id, shown),
      );
      expect(kept).to.deep.equal({ kind: 'changed-meanwhile' });
    }
    expect(await others.mirror(seen.id)).to.deep.equal({ ...mirror, targetUrl: afterwards });
  });

  it('a transfer and a deletion act on the campaign as the rival leaves it, and record that', async () => {
    const { settings, audit } = service.world;
    const { seen } = await service.campaign();
    const [second, third] = [newOwner(), newOwner()];
    const transferred = await meanwhile([transfer, seen.id, second], () => settings.transfer(seen.id, third));
    expect(transferred).to.deep.equal({ kind: 'changed', ownerId: second });
    const counts = 'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1';
    const deleted = await meanwhile([counts, seen.id], () => settings.deleteCampaign(seen.id));
    expect(deleted).to.have.nested.property('campaign.mirror.clicks', 1);
    expect(deleted).to.have.nested.property('campaign.ownerId', third);
    const [entry] = await audit.list({ campaign: seen.id, limit: 1 });
    expect(entry?.details).to.include({ clicks: 1 });
  });

  it('a key is rotated once, and not while it is being revoked', async () => {
    const { accessKeys } = service.world;
    const owner = newOwner();
    const { id } = await accessKeys.issue({ owner, name: named('script') });
    const holds = 'select from campaign_mirror.access_keys where id = $1 for update';
    const rotate = () => accessKeys.rotate(id, 60);
    const answers = await meanwhile([holds, id], () => Promise.all([rotate(), rotate()]));
    expect(answers.map(({ kind }) => kind)).to.have.members(['rotated', 'key-replaced']);
    const [next, ...others] = (await accessKeys.list({ owner, limit: 9 })).filter((one) => one.id !== id);
    expect(others).to.deep.equal([]);
    const revokes = 'update campaign_mirror.access_keys set revoked_at = now() where id = $1';
    const rotated = await meanwhile([revokes, next?.id], () => accessKeys.rotate(next?.id ?? id, 0));
    expect(rotated).to.deep.equal({ kind: 'key-revoked' });
  });
});
