import { migrate, migrationNames, roles, schema } from '@campaign-mirror/adapters-persistence/service';
import { defineEntity, MikroORM, p } from '@mikro-orm/postgresql';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn, objectsOf } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { listeningService, startService } from '../support/process/service-process.ts';
import { rejection } from '../support/promises.ts';
import { postgresPorts } from '../support/store/postgres-world.ts';
import { after as afterwards, change, liveCampaign, mirrorSet } from '../support/store/world.ts';

describe('contract: the data around it — migrations', () => {
  it('five at once make the schema once, and all of it works; run again there is nothing to do, and nobody but the owner may', async () => {
    const database = await emptyDatabase('owner');
    const { admin, name } = database;
    await admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    await Promise.all(Array.from({ length: 5 }, () => migrate(database.address('owner'))));
    const { rows } = await admin.query('select name from campaign_mirror.migrations');
    expect(rows).to.deep.equal(migrationNames.map((name) => ({ name })));
    const doubtful = 'select conname from pg_constraint where not convalidated';
    expect((await admin.query(doubtful)).rows).to.deep.equal([]);
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
      /^the database \S+, user "campaign_mirror_operator": [^\n]*as the owner of the schema[^\n]*\n$/,
    );
    expect(await schemaOf(database)).to.deep.equal(granted);
    expect(await ports.campaigns.find(seen.id)).to.deep.equal(seen);
    await close();
  });
});

describe("somebody's own MikroORM in the same database", () => {
  const Order = defineEntity({ name: 'Order', properties: { id: p.integer().primary() } });
  const open = (database: TestDatabase, ignoreSchema: string[]) =>
    new MikroORM({
      ...{ entities: [Order], clientUrl: database.url('owner'), schemaGenerator: { ignoreSchema } },
      ...{ ensureDatabase: false, logger: () => {} },
    });

  it('changes nothing of ours if it ignores the schema; if not, `migrate` does not hide that the data is gone', async () => {
    const database = await freshDatabase();
    const careful = open(database, [schema]);
    expect(await careful.schema.getUpdateSchemaSQL())
      .to.include('create table "order"')
      .and.not.include(schema);
    await careful.schema.update();
    await careful.close();

    const before = await schemaOf(database);
    const careless = open(database, []);
    expect(await careless.schema.getUpdateSchemaSQL()).to.include(
      `drop table if exists "${schema}"."mirrors"`,
    );
    expect(await careless.schema.getUpdateSchemaSQL({ safe: true })).not.to.include('drop');
    await rejection(careless.schema.update());
    await careless.close();
    const lost = await schemaOf(database);
    expect(lost.length).to.be.lessThan(before.length);
    const { code, errors } = await command(['migrate'], { DATABASE_URL: database.url('owner') });
    expect(code).to.equal(1);
    expect(errors).to.match(/: no migration is recorded; missing columns: \d+: restore a backup [^\n]+\n$/);
    const tables =
      "select relname from pg_class where relnamespace = 'campaign_mirror'::regnamespace and relkind = 'r'";
    expect((await database.admin.query(tables)).rows).to.deep.equal([{ relname: 'migrations' }]);
  });
});

describe('a database of an earlier trial', () => {
  it('keeps its data; migrate, doctor and a start say that it is one, and what to do', async () => {
    const database = await emptyDatabase('owner');
    const owner = await connect(database.address('owner'));
    await owner
      .query(`create schema campaign_mirror;
        create table campaign_mirror.migrations (id serial, name text, executed_at timestamptz default now());
        insert into campaign_mirror.migrations (name) values ('0001-mirrors-with-facts');
        create table campaign_mirror.campaigns (id bigint); insert into campaign_mirror.campaigns values (1)`)
      .finally(() => owner.end());
    const before = await schemaOf(database);
    const settings = { DATABASE_URL: database.url('owner') };
    const advice =
      'export its campaigns with that version, then `./campaign-mirror import` them into a new database';
    const migrated = await command(['migrate'], settings);
    expect(migrated).to.include({ code: 1, output: '' });
    expect(migrated.errors).to.include(advice);
    const examined = await command(['doctor'], settings);
    expect(examined.code).to.equal(1);
    expect(examined.output)
      .to.match(/^problem +migrations /m)
      .and.include(advice);
    for (const RUN_MIGRATIONS of ['true', 'false']) {
      const { code, errors } = await startService({ ...settings, RUN_MIGRATIONS }).done();
      expect(code).to.equal(1);
      expect(errors)
        .to.include(advice)
        .and.match(/^[^\n]+\n$/);
    }
    expect((await database.admin.query('select * from campaign_mirror.campaigns')).rowCount).to.equal(1);
    expect(await schemaOf(database)).to.deep.equal(before);
  });
});

describe('a copy of a database, as from a dump', () => {
  const line =
    'the database came from a dump or another server; its newest change of a mirror is from TIME, its newest entry of ' +
    'the audit from TIME; what was revoked, rotated, moved or transferred after that is as before again: ' +
    'docs/how-to/backup-and-restore.md says what to check';
  const timeless = (text: string) => text.replace(/\d{4}-[-T:.\d]+Z/g, 'TIME');

  it('is noticed by doctor and a start, until migrate says since when; the audit has it', async () => {
    const original = await freshDatabase();
    await commandsOn(original).object('campaign create --owner 1');
    const [created] = await commandsOn(original).objects('audit');
    await original.admin.end();
    const copy = await emptyDatabase('owner', `template ${original.name}`);
    const [on, owner] = [commandsOn(copy), commandsOn(copy, 'owner')];
    const warned =
      /^warning +origin +the database came from a dump or another server: .*\n +run `\.\/campaign-mirror migrate` as the owner/m;
    expect((await on.run('doctor')).output).to.match(warned);
    const service = { DATABASE_URL: copy.url('service'), RUN_MIGRATIONS: 'false' };
    const started = await listeningService(service);
    expect(
      started.process.log.filter(({ event }) => event === 'check-warned').map(({ check }) => check),
    ).to.deep.equal(['origin']);
    const { code, output, errors } = await owner.run('migrate --json');
    expect([code, timeless(errors)]).to.deep.equal([0, `${line.replace('TIME', 'never')}\n`]);
    expect(objectsOf(output)).to.deep.equal([
      {
        ...{ schema: 'migrated', migrations: [], made_again: [], rights: false },
        restored: { newest_change_at: null, newest_entry_at: created.acted_at },
      },
    ]);
    expect((await on.run('doctor')).output).not.to.match(/^(warning|problem) +origin/m);
    const [{ act, details }] = await on.objects('audit');
    expect([act, details]).to.deep.equal([
      'schema-migrated',
      { migrations: null, made_again: null, rights: false, restored: true },
    ]);
    await owner.session(`
      $ migrate
      The schema is up to date.`);
    expect(await on.objects('audit')).to.have.length(2);
  });

  it('a start that migrates warns of it, with the times, also where nobody may ask for the server', async () => {
    const original = await freshDatabase();
    const { close, ...ports } = await postgresPorts(original);
    const { seen, by } = await liveCampaign(ports);
    await mirrorSet(ports, seen, change(by));
    await close();
    await original.admin.end();
    const copy = await emptyDatabase('owner', `template ${original.name}`);
    await copy.admin.query('revoke execute on function pg_control_system() from public');
    expect((await commandsOn(copy).run('doctor')).output).to.match(/^warning +origin/m);
    const { process } = await listeningService({ DATABASE_URL: copy.url('owner'), RUN_MIGRATIONS: 'true' });
    const warning = process.log.find(({ event, check }) => event === 'check-warned' && check === 'origin');
    expect(timeless(`${warning?.msg}`)).to.equal(line);
    const [{ act, operator }] = await commandsOn(copy).objects('audit');
    expect([act, operator]).to.deep.equal(['schema-migrated', 'the service, at its start']);
  });
});

describe('the rights that a role had in another version, was given, or that everybody has after a restore without privileges', () => {
  it('are gone after `migrate`', async () => {
    const database = await freshDatabase();
    const before = await schemaOf(database);
    await database.admin.query(`
      grant select (campaign_id, clicks), update (clicks) on campaign_mirror.mirrors to ${roles.redirector};
      grant all on campaign_mirror.mirror_history to ${roles.service} with grant option;
      grant all on sequence campaign_mirror.mirrors_id_seq to ${roles.redirector};
      grant execute on all functions in schema campaign_mirror to public, ${roles.redirector}, ${roles.service}`);
    const service = await connect(database.address('service'));
    await service.query(`grant select on campaign_mirror.mirror_history to ${roles.redirector}`);
    await service.end();
    await migrate(database.address('owner'));
    expect(await schemaOf(database)).to.deep.equal(before);
  });

  it('to write WAL without bound is gone after `migrate` by a superuser; otherwise doctor says how to take it away', async () => {
    const database = await freshDatabase();
    const { options } = database.admin;
    const give = () =>
      database.admin.query(`do $$ begin execute (
        select string_agg(format('grant execute on function %s to public', oid::regprocedure), ';')
        from pg_proc where proname = 'pg_logical_emit_message'); end $$`);
    const advised = async () =>
      /every role may fill the disk\n +as a superuser: `(revoke .*)`$/m.exec(
        (await commandsOn(database).run('doctor')).output,
      )?.[1];
    await give();
    await migrate(database.address('owner'));
    await database.admin.query((await advised()) ?? 'doctor says nothing');
    expect(await advised()).to.equal(undefined);
    await give();
    await migrate({ ...database.address('owner'), user: options.user, password: `${options.password}` });
    expect(await advised()).to.equal(undefined);
  });

  it('are given by a start that migrates where a restore left them away; so are numbers of transactions', async () => {
    const database = await freshDatabase();
    const others = [roles.operator, roles.service, roles.redirector].join(', ');
    await database.admin.query(`
      revoke all on schema campaign_mirror from ${others};
      revoke all on all tables in schema campaign_mirror from ${others};
      revoke all on all functions in schema campaign_mirror from ${others}`);
    await migrate(database.address('owner'), { ifNeeded: true });
    const ahead = 'select from campaign_mirror.transactions_ahead';
    await database.admin.query(`insert into campaign_mirror.mirror_history (campaign_id, mirror_id, actor, owner_id,
        address_before, address_after, request_id, changed_at, transaction_id)
      values (1, 1, 'operator', 1, 'a', 'b', 'r', now(), '18446744073709551615')`);
    expect((await database.admin.query(ahead)).rowCount).to.equal(1);
    await migrate(database.address('owner'), { ifNeeded: true });
    expect((await database.admin.query(ahead)).rowCount).to.equal(0);
    const service = await connect(database.address('service'));
    await service.query("select campaign_mirror.find_campaigns('{1}')").finally(() => service.end());
  });
});

/** Every object of the schema with the identity that a change would give it anew, and who may do what. */
async function schemaOf({ admin }: TestDatabase): Promise<unknown[]> {
  const { rows } = await admin.query(`
    select oid, relname, relacl::text from pg_class where relnamespace = 'campaign_mirror'::regnamespace
    union all select attrelid, attname, attacl::text from pg_attribute
      where attrelid in (select oid from pg_class where relnamespace = 'campaign_mirror'::regnamespace)
    union all select oid, nspname, nspacl::text from pg_namespace where nspname = 'campaign_mirror'
    union all select oid, proname, proacl::text from pg_proc where pronamespace = 'campaign_mirror'::regnamespace
    order by 1, 2`);
  return rows;
}
