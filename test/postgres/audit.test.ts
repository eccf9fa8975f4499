import { defaultPoolLimits, openDatabase, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { endWaiting, rival, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { after as afterwards, newCampaign, newOwner, tester } from '../support/store/world.ts';

const lockCampaign = 'select from campaign_mirror.campaigns where id = $1 for update';

describe('an act whose connection is lost', () => {
  const service = groupedOf('suite');

  it('is Unavailable, and the next one is done on the only connection that the pool may have', async () => {
    const { database } = service;
    const { id } = (await service.campaign()).seen;
    const limits = { ...defaultPoolLimits, size: 1 };
    const { orm, close } = await openDatabase(database.address('operator'), limits);
    const settings = new PostgresSettings(orm, tester);
    for (let time = 0; time < 2; time++) {
      const other = await rival(database, lockCampaign, id);
      const transfer = rejection(settings.transfer(id, newOwner()));
      await untilWaiting(database, transfer);
      await endWaiting(database);
      expect(await transfer).to.be.instanceOf(Unavailable);
      await other.rollback();
    }
    expect(await settings.transfer(id, newOwner())).to.include({ kind: 'changed' });
    await close();
  });
});

describe('an audit that cannot be written', () => {
  const service = groupedOf('suite');

  it('lets no act be done, and the command says what to do; it keeps the role of the database that acted', async () => {
    const { settings, records } = service.world;
    const { id } = (await service.campaign()).seen;
    const ordinary = (await newCampaign(service.world)).id;
    const { admin } = service.database;
    const { rows } = await admin.query('select distinct database_role from campaign_mirror.operator_audit');
    expect(rows).to.deep.equal([{ database_role: 'campaign_mirror_operator' }]);
    // The database writes the entries, with the rights of the tables' owner.
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

    const DATABASE_URL = service.database.url('operator');
    const told = await command(['campaign', 'transfer', `${id}`, '--to', '9'], { DATABASE_URL });
    expect(told).to.include({ code: 1, output: '' });
    expect(told.errors).to.match(/, user "campaign_mirror_operator": permission denied .*\n$/);
  });
});
