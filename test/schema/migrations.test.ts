import { migrate, migrations, type Role, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { earlierNames } from '../../packages/adapters-persistence/src/schema/migration-names.ts';
import { command } from '../support/commands/command.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { startService } from '../support/process/service-process.ts';
import { postgresPorts } from '../support/store/postgres-world.ts';
import { after as afterwards, change, liveCampaign, mirrorSet } from '../support/store/world.ts';
import { unmigrated } from './earlier-schema.ts';

describe('contract: the data around it — migrations', () => {
  it('five at once make the schema once, and all of it works; run again there is nothing to do, and nobody but the owner may', async () => {
    const database = await emptyDatabase('owner');
    const { admin, name } = database;
    await admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    await Promise.all(Array.from({ length: 5 }, () => migrate(database.address('owner'))));
    const { rows } = await admin.query('select name from campaign_mirror.migrations');
    expect(rows).to.deep.equal(migrations.map((one) => ({ name: one.name })));
    const { close, ...ports } = await postgresPorts(database);
    const { seen, by } = await liveCampaign(ports);
    expect(await mirrorSet(ports, seen, change(by))).to.include({ targetUrl: afterwards });
    const before = await schemaOf(database);
    await migrate(database.address('owner'));
    expect(await schemaOf(database)).to.deep.equal(before);
    // Also where the role may look at all of it: its grants would do nothing, and PostgreSQL only warns.
    await admin.query(`grant select on all tables in schema campaign_mirror to ${roles.operator}`);
    const granted = await schemaOf(database);
    const done = await command(['migrate'], { DATABASE_URL: database.url('operator') });
    expect(done).to.include({ code: 1, output: '' });
    expect(done.errors).to.match(
      /^the user "campaign_mirror_operator" may not migrate the database [^\n]*as the owner of the schema[^\n]*\n$/,
    );
    expect(await schemaOf(database)).to.deep.equal(granted);
    expect(await ports.campaigns.find(seen.id)).to.deep.equal(seen);
    await close();
  });
});

describe('a schema of a version before 1.0.0', () => {
  const asked = async (database: TestDatabase, role: Role, ...words: string[]) =>
    command(words, { DATABASE_URL: database.url(role) });

  it('is told by commands, `doctor` and a start; `migrate` takes it over as it is', async () => {
    const database = await unmigrated(await freshDatabase());
    const { close, ...ports } = await postgresPorts(database);
    const live = await liveCampaign(ports);
    const listed = await asked(database, 'operator', 'campaign', 'list');
    expect(listed).to.include({ code: 1, output: '' });
    expect(listed.errors).to.match(
      /not set up for this version \(it is new, or of an earlier one\): run .* migrate/,
    );
    const told =
      /the schema is of a version before 1\.0\.0: 0001-initial.*0004-subjects\W+run `.\/campaign-mirror migrate`/;
    expect((await asked(database, 'operator', 'doctor')).output).to.match(told);
    const service = startService({ DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' });
    expect((await service.ended).code).to.equal(1);
    expect(service.output + service.errors).to.match(told);

    const before = await schemaOf(database);
    const migrated = await asked(database, 'owner', 'migrate');
    expect(migrated.output).to.equal('The schema is up to date.\n');
    expect(await schemaOf(database)).to.include.deep.members(before);
    expect(await ports.campaigns.find(live.seen.id)).to.deep.equal(live.seen);
    await close();
    const healed = await asked(database, 'operator', 'doctor');
    expect(healed.output).to.match(/^ok +migrations +none is pending$/m);
    const status = await asked(database, 'owner', 'migrate', '--status');
    expect(status.output).to.match(
      /^0001-schema +applied .*\n0002-recent-moves +applied .*\n0001-initial +earlier /m,
    );
  });

  it('that is unfinished is refused by `migrate`, which says what to do, and nothing is done', async () => {
    const database = await unmigrated(await freshDatabase(), earlierNames.slice(0, 3));
    const before = await schemaOf(database);
    const { code, errors } = await asked(database, 'owner', 'migrate');
    expect(code).to.equal(1);
    expect(errors).to.equal(
      'the schema is of a version before 1.0.0, and ends with 0003-room-for-updates: first run `migrate` of the last ' +
        "version that has 0004-subjects (docs/how-to/upgrade.md), then this one's\n",
    );
    expect(await schemaOf(database)).to.deep.equal(before);
    const { rows } = await database.admin.query('select name from campaign_mirror.migrations order by 1');
    expect(rows.map(({ name }) => name)).to.deep.equal(earlierNames.slice(0, 3));
  });
});

/** Every object of the schema with the identity that a change would give it anew, and who may do what. */
async function schemaOf({ admin }: TestDatabase): Promise<unknown[]> {
  const { rows } = await admin.query(`
    select oid, relname, relacl::text from pg_class where relnamespace = 'campaign_mirror'::regnamespace
    union all select attrelid, attname, attacl::text from pg_attribute
      where attrelid in (select oid from pg_class where relnamespace = 'campaign_mirror'::regnamespace)
    union all select oid, nspname, nspacl::text from pg_namespace where nspname = 'campaign_mirror'
    order by 1, 2`);
  return rows;
}
