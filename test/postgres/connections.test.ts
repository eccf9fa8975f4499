import { mock } from 'node:test';
import { openDatabase, PostgresAccessKeys } from '@campaign-mirror/adapters-persistence';
import { type OwnerId, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { errorFields } from '../../packages/app/src/logging/log-events.ts';
import { patient } from '../support/database/patient.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { databaseOf } from '../support/process/lives.ts';
import { eventually, rejection } from '../support/promises.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import { named, newOwner, tester } from '../support/store/world.ts';
import { oneLine, writing } from './import-lines.ts';

describe('connections to the database', () => {
  const database = databaseOf('test');

  it('close cuts off what is under way when its patience ends', async () => {
    const { pool, close } = await openDatabase(database.address('service'), patient);
    const holder = await rival(database, 'lock table campaign_mirror.mirrors in access exclusive mode');
    const cut = rejection(pool.query('select id from campaign_mirror.mirrors'));
    await untilWaiting(database, cut);
    expect(await close(0)).to.equal(false);
    expect(await cut).to.have.property('message', 'Connection terminated');
    await holder.rollback();
  });

  it('a fault of ours is not taken for a database that is away, and its values stay out of the log', async () => {
    const { orm, close } = await openDatabase(database.address('operator'));
    const tooLarge = (2 ** 53) as OwnerId;
    const keys = new PostgresAccessKeys(orm, tester);
    const error = (await rejection(keys.issue({ owner: tooLarge, name: named('MARKED') }))) as Error;
    expect(error).to.have.property('code', '23514').and.not.to.be.instanceOf(Unavailable);
    expect(error.message, 'the driver tells').to.include('MARKED');
    expect(JSON.stringify(errorFields(error))).not.to.include('MARKED');
    await close();
  });

  it('variables that are meant for another ORM of the program change nothing, and stay', async () => {
    const variables = { MIKRO_ORM_SCHEMA: 'theirs', MIKRO_ORM_CLIENT_URL: 'no URL' };
    Object.assign(process.env, variables);
    try {
      const { orm, close } = await openDatabase(database.address('operator'));
      const { id } = await new PostgresAccessKeys(orm, tester).issue({
        owner: newOwner(),
        name: named('ours'),
      });
      expect(id).to.be.a('number');
      expect(process.env).to.include(variables);
      await close();
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  it('no time limit of the database ends an import, or an export', async () => {
    const { admin, name } = database;
    const { rows } = await admin.query(
      "select name from pg_settings where name ~ '^((idle_in_)?transaction(_session)?|statement|lock)_timeout$'",
    );
    for (const { name: limit } of rows) await admin.query(`alter database ${name} set ${limit} = '100ms'`);
    const world = await postgresWorld(database);
    const longer = () =>
      eventually('a transaction beyond the limits', async () => {
        const old = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and clock_timestamp() - xact_start > interval '250 ms'`;
        expect((await admin.query(old)).rowCount).not.to.equal(0);
      });
    const owner = newOwner();
    async function* slowly() {
      yield* oneLine(owner);
      await longer();
    }
    const outcome = await world.imports.importAll('slow.csv', slowly(), writing);
    expect(outcome).to.include({ campaigns: 1, invalidLines: 0 });
    let seen = '';
    await world.exports.copyTo('json', async (chunk) => {
      await longer();
      seen += Buffer.from(chunk).toString();
      return true;
    });
    expect(JSON.parse(seen)).to.include({ owner_id: owner });
    await world.close();
  });

  it('of a key, times are by the clock of the database, whatever our own says', async () => {
    const world = await postgresWorld(database);
    const now = Date.now;
    mock.method(Date, 'now', () => now() + 365 * 24 * 3600 * 1000);
    const asked = { owner: newOwner(), name: named('key'), expiresIn: 3600.5 };
    const { id, key } = await world.accessKeys.issue(asked);
    expect(await world.identity.whoIs(key)).not.to.equal(undefined);
    await world.accessKeys.revoke({ ids: [id] });
    mock.restoreAll();
    await world.close();
    const { rows } = await database.admin.query(
      `select abs(extract(epoch from created_at - clock_timestamp())) < 600 as created,
         extract(epoch from expires_at - created_at) = 3600.5 as expires,
         revoked_at between created_at and clock_timestamp() as revoked
       from campaign_mirror.access_keys where id = $1`,
      [id],
    );
    expect(rows).to.deep.equal([{ created: true, expires: true, revoked: true }]);
  });
});
