import { mock } from 'node:test';
import { campaignColumns, type ImportedCampaign } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';
import { eventually } from '../support/promises.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import { named, newOwner } from '../support/store/world.ts';

describe('sessions of the database', () => {
  const database = databaseOf('test');

  it('no time limit of the database ends an import', async () => {
    const { admin, name } = database;
    const limits = 'statement_timeout lock_timeout idle_in_transaction_session_timeout'.split(' ');
    for (const limit of limits) await admin.query(`alter database ${name} set ${limit} = '100ms'`);
    const world = await postgresWorld(database);
    async function* slowly() {
      const empty = Object.fromEntries(campaignColumns.map((column) => [column, null]));
      yield { line: 2, campaign: { ...empty, owner_id: newOwner() } as ImportedCampaign, faults: [] };
      await eventually('a transaction beyond the limits', async () => {
        const old = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and clock_timestamp() - xact_start > interval '250 ms'`;
        expect((await admin.query(old)).rowCount).not.to.equal(0);
      });
    }
    const how = { dryRun: false, allowDuplicates: true };
    const outcome = await world.imports.importAll('slow.csv', slowly(), how);
    expect(outcome).to.include({ campaigns: 1, invalidLines: 0 });
    await world.close();
  });

  it('the times of a key are those of the clock of the database, whatever our own clock is', async () => {
    const world = await postgresWorld(database);
    const now = Date.now;
    mock.method(Date, 'now', () => now() + 365 * 24 * 3600 * 1000);
    const { id, key } = await world.accessKeys.issue({
      owner: newOwner(),
      name: named('key'),
      expiresIn: 3600.5,
    });
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
