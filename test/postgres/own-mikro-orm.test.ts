import * as store from '@campaign-mirror/adapters-persistence/service';
import type { CampaignId, HostName } from '@campaign-mirror/domain';
import { defineEntity, MikroORM, p, RequestContext } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { emptyDatabase } from '../support/database/database-server.ts';
import { databaseOf } from '../support/process/lives.ts';
import { before as firstAddress, named, newOwner, tester } from '../support/store/world.ts';

const Order = defineEntity({ name: 'Order', properties: { id: p.integer().primary() } });
const CurrentMirror = defineEntity({
  name: 'CurrentMirror',
  schema: store.schema,
  tableName: 'current_mirrors',
  properties: { campaignId: p.bigint('number').primary(), targetUrl: p.text() },
});

const ways: Record<string, (theirs: MikroORM, run: () => Promise<void>) => Promise<void>> = {
  'a RequestContext': (theirs, run) => RequestContext.create(theirs.em, run),
  'a transaction': (theirs, run) => theirs.em.fork().transactional(run),
};

describe('beside a MikroORM of the program', () => {
  const ours = databaseOf('suite');
  const open = (clientUrl: string, options = {}) =>
    new MikroORM({ entities: [Order], clientUrl, ensureDatabase: false, logger: () => {}, ...options });

  for (const [way, within] of Object.entries(ways))
    it(`each port of the operator acts on our database within ${way} of theirs`, async () => {
      const database = await store.openDatabase(ours.address('operator'));
      const theirs = open((await emptyDatabase('owner')).url('owner'));
      const settings = new store.PostgresSettings(database.orm, tester);
      const keys = new store.PostgresAccessKeys(database.orm, tester);
      const records = store.postgresCampaignRecords(database);
      await within(theirs, async () => {
        const owner = newOwner();
        const made = await settings.createCampaign({ owner, isDefault: true });
        const { id } = made as { id: CampaignId };
        await settings.createMirror(id, firstAddress);
        await settings.setDefault(id, false);
        const to = newOwner();
        await settings.transfer(id, to);
        const record = await records.find(id);
        expect(record).to.deep.include({ ownerId: to, isDefault: false });
        expect(await records.list({ owner: to, limit: 9 })).to.deep.equal([record]);
        const page = { owner: to, limit: 9, host: new URL(firstAddress).hostname as HostName };
        expect((await records.listMirrors(page)).mirrors).to.deep.equal([record?.mirror]);
        const { id: key } = await keys.issue({ owner, name: named('key') });
        await keys.rotate(key, 60);
        await keys.revoke({ ids: [key] });
        expect(await keys.list({ owner, limit: 9 })).to.have.length(2);
        const history = store.postgresMirrorHistory(database.pool);
        expect(await history.list({ campaign: id, limit: 9 })).to.deep.equal([]);
        expect(await settings.deleteCampaign(id)).to.deep.include({ kind: 'deleted', campaign: record });
        const acts = await store.postgresAudit(database.orm).list({ campaign: id, limit: 9 });
        expect(acts.map(({ act, operator }) => `${act} ${operator}`).toReversed()).to.deep.equal(
          [
            'campaign-created',
            'mirror-created',
            'default-unset',
            'campaign-transferred',
            'campaign-deleted',
          ].map((act) => `${act} ${tester.operator}`),
        );
      });
      await theirs.close();
      await database.close();
    });

  it('with the options of our README, an entity of theirs reads our view, and their migrations leave ours alone', async () => {
    const schemaGenerator = {
      ignoreSchema: [store.schema],
      skipTables: [`${store.schema}.current_mirrors`],
    };
    const entities = [Order, CurrentMirror];
    const theirs = open(ours.url('owner'), { entities, schemaGenerator });
    expect(await theirs.schema.getUpdateSchemaSQL())
      .to.include('create table "order"')
      .and.not.include(store.schema);
    const read = await theirs.em.fork().findAll(CurrentMirror);
    expect(read).to.be.an('array');
    await theirs.close();
  });
});
