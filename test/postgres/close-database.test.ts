import { openDatabase, PostgresAccessKeys, PostgresSettings } from '@campaign-mirror/adapters-persistence';
import { type OwnerId, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { errorFields } from '../../packages/app/src/logging/error-fields.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { named, tester } from '../support/store/operator.ts';

describe('the database, when it is used for commands, and closed', () => {
  const database = databaseOf('test');

  const thrownBy = (call: Promise<unknown>) =>
    call.then(
      () => expect.fail('it was to be refused'),
      (error: unknown) => error as Error,
    );

  it('close ends the pool, also one that MikroORM never used', async () => {
    const { pool, close } = await openDatabase(database.address('service'));
    await pool.query('select');
    await close();
    expect(pool.ended).to.equal(true);
    expect(pool.totalCount).to.equal(0);
  });

  it('close cuts off what is under way when its patience ends', async () => {
    const { pool, close } = await openDatabase(database.address('service'));
    const holder = await rival(database);
    await holder.run('lock table campaign_mirror.mirrors in access exclusive mode');
    const cut = thrownBy(pool.query('select id from campaign_mirror.mirrors'));
    await untilWaiting(database, cut);
    await close(0);
    expect(await cut).to.be.instanceOf(Error);
    await holder.rollback();
  });

  it('a fault of ours is not taken for a database that is away, and its values stay out of the log', async () => {
    const { orm, close } = await openDatabase(database.address('operator'));
    const tooLarge = (2 ** 53) as OwnerId;
    const error = await thrownBy(
      new PostgresAccessKeys(orm, tester).issue({ owner: tooLarge, name: named('MARKED') }),
    );
    await close();
    expect(error).not.to.be.instanceOf(Unavailable);
    expect(error).to.have.property('code', '23514');
    expect(error.message, 'the driver tells').to.include('MARKED');
    expect(JSON.stringify(errorFields(error))).not.to.include('MARKED');
  });

  it('an identifier that is taken by hand is no second default campaign', async () => {
    const { orm, close } = await openDatabase(database.address('operator'));
    const settings = new PostgresSettings(orm, tester);
    const owner = 1 as OwnerId;
    await database.admin.query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 2)');
    const taken = await thrownBy(settings.createCampaign({ owner, isDefault: true }));
    expect(taken).to.have.property('constraint', 'campaigns_pkey');
    expect((await settings.createCampaign({ owner, isDefault: true })).kind).to.equal('created');
    await close();
  });
});
