import {
  heldRights,
  migrate,
  migrations,
  type Role,
  rightsOf,
  roles,
} from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type pg from 'pg';
import { earlierNames } from '../../packages/adapters-persistence/src/schema/migration-names.ts';
import { command } from '../support/commands/command.ts';
import { connect } from '../support/database/client.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { type DedicatedServer, dedicatedServer } from '../support/database/dedicated-server.ts';
import { earlierDatabase } from '../support/database/earlier-database.ts';
import { rejection } from '../support/faults.ts';
import { databaseOf } from '../support/process/lives.ts';
import { startService } from '../support/process/service-process.ts';
import { postgresPorts } from '../support/store/postgres-world.ts';
import { after as afterwards, change, liveCampaign, mirrorSet } from '../support/store/world.ts';

const atOnce = 5;

describe('contract: the data around it — migrations', () => {
  it(`${atOnce} at once: all succeed, and the schema is there once`, async () => {
    const database = await emptyDatabase('owner');
    const isolation = "default_transaction_isolation = 'repeatable read'";
    await database.admin.query(`alter database ${database.name} set ${isolation}`);
    await Promise.all(Array.from({ length: atOnce }, () => migrate(database.address('owner'))));
    await expectMigratedOnce(database);
  });

  it('run again: there is nothing to do, and what is there stays', async () => {
    const database = await freshDatabase();
    const { close, ...ports } = await postgresPorts(database);
    const live = await liveCampaign(ports);
    const before = await schemaOf(database);
    await migrate(database.address('owner'));
    expect(await schemaOf(database)).to.deep.equal(before);
    expect(await ports.campaigns.find(live.seen.id)).to.deep.equal(live.seen);
    await close();
  });

  it('make everything in the schema campaign_mirror, and nothing elsewhere', async () => {
    const database = await freshDatabase();
    const elsewhere = await database.admin.query(`
      select relname from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname not in ('campaign_mirror', 'pg_catalog', 'information_schema', 'pg_toast')
      union all select proname from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
      where nspname not in ('campaign_mirror', 'pg_catalog', 'information_schema')`);
    expect(elsewhere.rows).to.deep.equal([]);
    const { rows } = await database.admin.query(`
      select table_name, table_type from information_schema.tables
      where table_schema = 'campaign_mirror' order by 1`);
    expect(rows.map((row) => `${row.table_name} ${row.table_type}`)).to.deep.equal([
      'access_keys BASE TABLE',
      'campaigns BASE TABLE',
      'current_mirrors VIEW',
      'migrations BASE TABLE',
      'mirror_history BASE TABLE',
      'mirrors BASE TABLE',
      'operator_audit BASE TABLE',
      'recent_moves VIEW',
    ]);
  });

  it('by a role that may not create the schema: PostgreSQL says so (42501), and nothing is left', async () => {
    const database = await emptyDatabase('admin');
    expect(await rejection(migrate(database.address('owner')))).to.have.property('code', '42501');
    const { rowCount } = await database.admin.query(
      "select from pg_namespace where nspname like 'campaign%'",
    );
    expect(rowCount).to.equal(0);
  });

  it('by a role that does not own the schema, on one that is up to date: it says so, and nothing changes', async () => {
    const database = await freshDatabase();
    const before = await schemaOf(database);
    expect(await rejection(migrate(database.address('service')))).to.have.property('code', '42501');
    expect(await schemaOf(database)).to.deep.equal(before);
  });

  it('in a database that there is not: it is not created', async () => {
    const database = await emptyDatabase('admin');
    const { name, admin } = database;
    const missing = { ...database.address('owner'), database: `${name}_missing` };
    expect(await rejection(migrate(missing))).to.have.property('code', '3D000');
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [`${name}_missing`]);
    expect(rowCount).to.equal(0);
  });
});

describe('a schema of a version before 1.0.0', () => {
  const whole = databaseOf('test', () => earlierDatabase());
  const unfinished = databaseOf('test', () => earlierDatabase(earlierNames.slice(0, 3)));
  const asked = async (database: TestDatabase, role: Role, ...words: string[]) =>
    command(words, { DATABASE_URL: database.url(role) });

  it('is told by commands, `doctor` and a start; `migrate` takes it over as it is', async () => {
    const { close, ...ports } = await postgresPorts(whole);
    const live = await liveCampaign(ports);
    const listed = await asked(whole, 'operator', 'campaign', 'list');
    expect(listed).to.include({ code: 1, output: '' });
    expect(listed.errors).to.match(
      /not set up for this version \(it is new, or of an earlier one\): run .* migrate/,
    );
    const told =
      /the schema is of a version before 1\.0\.0: 0001-initial.*0004-subjects\W+run `.\/campaign-mirror migrate`/;
    expect((await asked(whole, 'operator', 'doctor')).output).to.match(told);
    const service = startService({ DATABASE_URL: whole.url('service'), RUN_MIGRATIONS: 'false' });
    expect((await service.ended).code).to.equal(1);
    expect(service.output + service.errors).to.match(told);

    const before = await schemaOf(whole);
    expect((await asked(whole, 'owner', 'migrate')).output).to.equal('The schema is up to date.\n');
    expect(await schemaOf(whole)).to.include.deep.members(before);
    expect(await ports.campaigns.find(live.seen.id)).to.deep.equal(live.seen);
    await close();
    expect((await asked(whole, 'operator', 'doctor')).output).to.match(/^ok +migrations +none is pending$/m);
    const status = await asked(whole, 'owner', 'migrate', '--status');
    expect(status.output).to.match(
      /^0001-schema +applied .*\n0002-recent-moves +applied .*\n0001-initial +earlier /m,
    );
  });

  it('that is unfinished is refused by `migrate`, which says what to do, and nothing is done', async () => {
    const before = await schemaOf(unfinished);
    const { code, errors } = await asked(unfinished, 'owner', 'migrate');
    expect(code).to.equal(1);
    expect(errors).to.equal(
      'the schema is of a version before 1.0.0, and ends with 0003-room-for-updates: first run `migrate` of the last ' +
        "version that has 0004-subjects (docs/how-to/upgrade.md), then this one's\n",
    );
    expect(await schemaOf(unfinished)).to.deep.equal(before);
    const { rows } = await unfinished.admin.query('select name from campaign_mirror.migrations order by 1');
    expect(rows.map(({ name }) => name)).to.deep.equal(earlierNames.slice(0, 3));
  });
});

describe('contract: the data around it — roles that come later, or never', () => {
  let server: DedicatedServer;
  let admin: pg.Client;

  before(async () => {
    server = await dedicatedServer();
    admin = await connect(server.address('postgres'));
    await admin.query('create role plain login');
    await admin.query('create database plain owner plain');
  });
  after(async () => {
    await admin.end();
    await server.remove();
  });

  it('an ordinary user who owns the database, alone on the server, migrates it and is served', async () => {
    const address = server.address('plain', 'plain');
    await migrate(address);
    const { rows } = await admin.query("select rolname from pg_roles where rolname like 'campaign_mirror%'");
    expect(rows).to.deep.equal([]);
    const { close, ...ports } = await postgresPorts({ address: () => address });
    const { seen, by } = await liveCampaign(ports);
    const set = await mirrorSet(ports, seen, change(by));
    expect(set).to.include({ targetUrl: afterwards });
    await close();
  });

  it('a role that is created after the first migration has its rights after the next', async () => {
    await admin.query(`create role ${roles.service} login`);
    const missing = async () => {
      const service = await connect(server.address(roles.service, 'plain'));
      const { missing } = rightsOf('service', await heldRights(service));
      await service.end();
      return missing;
    };
    expect(await missing()).not.to.deep.equal([]);
    await migrate(server.address('plain', 'plain'));
    expect(await missing()).to.deep.equal([]);
  });
});

async function expectMigratedOnce(database: TestDatabase): Promise<void> {
  const { rows } = await database.admin.query('select name from campaign_mirror.migrations');
  expect(rows).to.deep.equal(migrations.map(({ name }) => ({ name })));
  const { close, ...ports } = await postgresPorts(database);
  const { seen, by } = await liveCampaign(ports);
  expect(await mirrorSet(ports, seen, change(by))).to.include({ targetUrl: afterwards });
  await close();
}

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
