import { migrate, migrationNames, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { command } from '../support/commands/command.ts';
import { commandsOn } from '../support/commands/commands-on.ts';
import { query } from '../support/database/client.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { type LogLine, listeningService, startService } from '../support/process/service-process.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import { after as afterwards, change, liveCampaign } from '../support/store/world.ts';

describe('migrate: the schema is made once, by its owner', () => {
  it('five processes at once make the schema; a second run changes nothing; another role is refused', async () => {
    const database = await emptyDatabase();
    const { admin, name } = database;
    await admin.query(`alter database ${name} set default_transaction_isolation = 'repeatable read'`);
    await Promise.all(Array.from({ length: 5 }, () => migrate(database.address('owner'))));
    const { rows } = await admin.query('select name from campaign_mirror.migrations');
    expect(rows).to.deep.equal(migrationNames.map((name) => ({ name })));
    const { close, ...ports } = await postgresWorld(database);
    const { seen, by } = await liveCampaign(ports);
    expect(await ports.campaigns.setMirror(seen, change(by))).to.have.nested.property(
      'mirror.targetUrl',
      afterwards,
    );
    await close();
    const before = await schemaOf(database);
    await migrate(database.address('owner'));
    expect(await schemaOf(database)).to.deep.equal(before);
    const { code, output, errors } = await command(['migrate'], { DATABASE_URL: database.url('operator') });
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(errors).to.match(
      /^the database \S+, user "campaign_mirror_operator": [^\n]*as the owner of the schema[^\n]*\n$/,
    );
    expect(await schemaOf(database)).to.deep.equal(before);
  });

  it('a schema of an earlier trial is kept; migrate and a start say what to do', async () => {
    const database = await emptyDatabase();
    const earlier = `create schema campaign_mirror;
      create table campaign_mirror.migrations (id serial, name text, executed_at timestamptz default now());
      insert into campaign_mirror.migrations (name) values ('0001-mirrors-with-facts')`;
    await query(database.address('owner'), earlier);
    const before = await schemaOf(database);
    const settings = { DATABASE_URL: database.url('owner') };
    const advice =
      'export its campaigns with that version, then `./campaign-mirror import` them into a new database';
    const migrated = await command(['migrate'], settings);
    expect(migrated).to.include({ code: 1, output: '' });
    expect(migrated.errors).to.include(advice);
    const started = await startService({ ...settings, RUN_MIGRATIONS: 'true' }).done();
    expect(started.errors).to.include(advice);
    expect(await schemaOf(database)).to.deep.equal(before);
  });
});

describe('migrate: a database from a dump is noticed, since revoked keys are valid again in it', () => {
  const timeless = (text: string) => text.replace(/\d{4}-[-T:.\d]+Z/g, 'TIME');
  /** A copy of a database in which a mirror was changed. */
  async function restored(): Promise<TestDatabase> {
    const original = await freshDatabase();
    const { close, ...ports } = await postgresWorld(original);
    const { seen, by } = await liveCampaign(ports);
    await ports.campaigns.setMirror(seen, change(by));
    await close();
    await original.admin.end();
    return emptyDatabase(`template ${original.name}`);
  }
  const line =
    'the database came from a dump or another server; its newest change of a mirror is from TIME, its newest entry of ' +
    'the audit from TIME; revocations, rotations, moves and transfers after that are lost: ' +
    'docs/how-to/backup-and-restore.md says what to check';
  const warnings = ({ log }: { log: readonly LogLine[] }) =>
    log.filter(({ event, check }) => event === 'check-warned' && check === 'origin');

  it('doctor and a start warn of it until migrate gives the times; the audit has the restore', async () => {
    const copy = await restored();
    const [on, owner] = [commandsOn(copy), commandsOn(copy, 'owner')];
    expect((await on.run('doctor')).output).to.match(
      /^warning +origin +the database came from a dump or another server: .*\n +run `\.\/campaign-mirror migrate` as the owner/m,
    );
    const service = { DATABASE_URL: copy.url('service'), RUN_MIGRATIONS: 'false' };
    expect(warnings((await listeningService(service)).process)).to.have.length(1);
    const { code, errors } = await owner.run('migrate');
    expect([code, timeless(errors)]).to.deep.equal([0, `${line}\n`]);
    expect((await on.run('doctor')).output).not.to.match(/^(warning|problem) +origin/m);
    const [{ act, details }] = await on.objects('audit');
    expect([act, details.restored]).to.deep.equal(['schema-migrated', true]);
    expect(await owner.run('migrate')).to.deep.include({ output: 'The schema is up to date.\n', errors: '' });
  });

  it('a start with RUN_MIGRATIONS warns of it with the times, even without pg_control_system', async () => {
    const copy = await restored();
    await copy.admin.query('revoke execute on function pg_control_system() from public');
    const { process } = await listeningService({ DATABASE_URL: copy.url('owner'), RUN_MIGRATIONS: 'true' });
    expect(warnings(process).map(({ msg }) => timeless(`${msg}`))).to.deep.equal([line]);
    const [{ act, operator }] = await commandsOn(copy).objects('audit');
    expect([act, operator]).to.deep.equal(['schema-migrated', 'the service, at its start']);
  });
});

describe('migrate: each role has exactly its rights afterwards', () => {
  it('rights that were added manually are revoked', async () => {
    const database = await freshDatabase();
    const before = await schemaOf(database);
    await database.admin.query(`
      grant select (campaign_id, clicks), update (clicks) on campaign_mirror.mirrors to ${roles.redirector};
      grant all on campaign_mirror.mirror_history to ${roles.service} with grant option;
      grant all on sequence campaign_mirror.mirrors_id_seq to ${roles.redirector};
      grant execute on all functions in schema campaign_mirror to public, ${roles.redirector}, ${roles.service}`);
    const grant = `grant select on campaign_mirror.mirror_history to ${roles.redirector}`;
    await query(database.address('service'), grant);
    await migrate(database.address('owner'));
    expect(await schemaOf(database)).to.deep.equal(before);
  });

  it('a start with RUN_MIGRATIONS grants the rights that a restore left out', async () => {
    const database = await freshDatabase();
    const before = await schemaOf(database);
    const others = [roles.operator, roles.service, roles.redirector].join(', ');
    await database.admin.query(`
      revoke all on schema campaign_mirror from ${others};
      revoke all on all tables in schema campaign_mirror from ${others};
      revoke all on all functions in schema campaign_mirror from ${others}`);
    await migrate(database.address('owner'), { ifNeeded: true });
    expect((await schemaOf(database)).length).to.equal(before.length);
    await query(database.address('service'), "select campaign_mirror.find_campaigns('{1}')");
  });
});

/** Every object of the schema with its identity and its rights. */
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
