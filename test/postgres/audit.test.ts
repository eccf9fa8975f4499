import { expect } from 'chai';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { after as afterwards, newCampaign, newOwner } from '../support/store/world.ts';

describe('acts of the operator', () => {
  const service = groupedOf('suite');

  it('are not done if the audit cannot be written', async () => {
    const { settings, records } = service.world;
    const { id } = (await service.campaign()).seen;
    const ordinary = (await newCampaign(service.world)).id;
    const { admin } = service.database;
    const { rows } = await admin.query('select distinct database_role from campaign_mirror.operator_audit');
    expect(rows).to.deep.equal([{ database_role: 'campaign_mirror_operator' }]);
    // The database writes the entries, with the rights of the owner of the tables.
    await admin.query('revoke insert on campaign_mirror.operator_audit from campaign_mirror_owner');
    const acts: Record<string, () => Promise<unknown>> = {
      createCampaign: () => settings.createCampaign({ owner: newOwner(), isDefault: false }),
      createMirror: () => settings.createMirror(ordinary, afterwards),
      transfer: () => settings.transfer(id, newOwner()),
      setDefault: () => settings.setDefault(id, true),
      deleteCampaign: () => settings.deleteCampaign(id),
    };
    const before = await records.list({ limit: 100 });
    for (const [name, act] of Object.entries(acts)) {
      expect(await rejection(act()), name).to.have.property('code', '42501');
      expect(await records.list({ limit: 100 }), name).to.deep.equal(before);
    }
  });
});
