import * as store from '@campaign-mirror/adapters-persistence/service';
import type { CampaignId } from '@campaign-mirror/domain';
import { defineEntity, MikroORM, p, RequestContext } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { databaseOf } from '../support/process/lives.ts';
import { before as firstAddress, named, newOwner, tester } from '../support/store/world.ts';

const Order = defineEntity({ name: 'Order', properties: { id: p.integer().primary() } });

describe('in a program with its own MikroORM', () => {
  const ours = databaseOf('suite');

  it('the ports of the operator use our database, also within the RequestContext of the program', async () => {
    const database = await store.openDatabase(ours.address('operator'));
    const clientUrl = (await emptyDatabase('owner')).url('owner');
    const theirs = new MikroORM({ entities: [Order], clientUrl, ensureDatabase: false, logger: () => {} });
    const settings = new store.PostgresSettings(database.orm, tester);
    const keys = new store.PostgresAccessKeys(database.orm, tester);
    const records = store.postgresCampaignRecords(database);
    await RequestContext.create(theirs.em, async () => {
      const [owner, to] = [newOwner(), newOwner()];
      const made = await settings.createCampaign({ owner, isDefault: true });
      const { id } = made as { id: CampaignId };
      await settings.createMirror(id, firstAddress);
      await settings.setDefault(id, false);
      await settings.transfer(id, to);
      const record = await records.find(id);
      expect(record).to.deep.include({ ownerId: to, isDefault: false });
      expect(await records.list({ owner: to, limit: 9 })).to.deep.equal([record]);
      const { id: key } = await keys.issue({ owner, name: named('key') });
      await keys.rotate(key, 60);
      expect(await keys.list({ owner, limit: 9 })).to.have.length(2);
      expect(await settings.deleteCampaign(id)).to.deep.include({ kind: 'deleted', campaign: record });
      expect(await store.postgresAudit(database.orm).list({ campaign: id, limit: 9 })).to.have.length(5);
    });
    await theirs.close();
    await database.close();
  });
});
