import { missingText, openProbe, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { databaseOf, groupedOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { type Live, newOwner } from '../support/store/world.ts';

const [operatorAudit, mirrors] = ['campaign_mirror.operator_audit', 'campaign_mirror.mirrors'];
const foreignKey = 'mirrors_campaign_id_owner_id_is_default_fkey';
/** A change of the schema, the finding, and whether `migrate` repairs it. */
const cases: [statement: string, finding: string, isRepaired: boolean][] = [
  [
    `alter table ${operatorAudit} drop column part_of`,
    'the column part_of on operator_audit is missing',
    false,
  ],
  [
    `alter table ${mirrors} drop constraint mirrors_clicks_check`,
    'the constraint mirrors_clicks_check on mirrors is missing',
    false,
  ],
  // As a pg_restore that was killed leaves it.
  [
    `alter table ${mirrors} disable trigger all`,
    `the constraint ${foreignKey} on mirrors is disabled`,
    false,
  ],
  [
    `drop trigger append_only on ${operatorAudit}`,
    'the trigger append_only on operator_audit is missing',
    true,
  ],
  [
    `alter table ${mirrors} disable trigger take_facts`,
    'the trigger take_facts on mirrors is disabled',
    true,
  ],
  ['drop function campaign_mirror.find_campaigns', 'the function find_campaigns(bigint[]) is missing', true],
];

const missingParts = async (pool: Pool): Promise<string[]> =>
  (await pool.query(missingText)).rows.map(({ finding }) => finding);

const catalogue = `
  with relations as (
    select oid, relname, relkind from pg_class
    where relnamespace = 'campaign_mirror'::regnamespace and relname <> 'migrations')
  select format('the %s %s on %s is missing', kind, name, relname) as finding from relations, lateral (
    select 'column' as kind, attname as name from pg_attribute
      where attrelid = relations.oid and attnum > 0 and relkind in ('r', 'v')
    union all select 'trigger', tgname from pg_trigger where tgrelid = relations.oid and not tgisinternal
    -- PostgreSQL 18 has a constraint for each column that is not null.
    union all select 'constraint', conname from pg_constraint where conrelid = relations.oid and contype <> 'n'
    union all select 'index', index.relname from pg_index join pg_class as index on index.oid = indexrelid
      where indrelid = relations.oid and not exists (select from pg_constraint where conindid = indexrelid)
        and (indisunique or index.relname = 'changes_by_transaction')
  ) as parts`;

describe('schema: a missing or disabled part is found before it can do harm', () => {
  const database = databaseOf('test');
  const owner = commandsOn(database, 'owner');
  const on = commandsOn(database);
  const doctor = async () => (await on.run('doctor')).output;
  const settings = () => ({ DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' });

  for (const [statement, finding, isRepaired] of cases)
    it(`${finding}: doctor and the readiness check find it, and migrate ${isRepaired ? 'repairs' : 'reports'} it`, async () => {
      await on.object('campaign create --owner 1');
      await database.admin.query(statement);
      expect(await doctor())
        .to.match(/^problem +schema /m)
        .and.include(finding);
      const probe = openProbe(database.address('service'), 10_000);
      expect(await probe.ask().finally(() => probe.close())).to.include({ migrations: true, schema: false });

      const migrated = await owner.run('migrate');
      if (!isRepaired) {
        expect(migrated.code).to.equal(1);
        expect(migrated.errors)
          .to.include(finding)
          .and.match(
            /: (restore a backup|as the owner of the schema, run its statement|as a superuser, `alter table [\w.]+ enable trigger all`)/,
          );
        return expect(await missingParts(database.admin)).to.deep.equal([finding]);
      }
      const part = finding.replace(/^the (.*?)(\(.*)? is \w+$/, '$1');
      expect(migrated.errors).to.equal('');
      expect(migrated.output).to.match(new RegExp(`^Made again: ${part}[.]`));
      expect(await owner.run('migrate')).to.include({ output: 'The schema is up to date.\n' });
      const [{ act, details }] = await on.objects('audit');
      expect([act, details.made_again]).to.deep.equal(['schema-migrated', part]);
    });

  it('a service does not start, and a running one answers 503 to /readyz', async () => {
    const { ops } = await listeningService(settings());
    await database.admin.query('drop function campaign_mirror.set_mirrors');
    await eventually('503 from /readyz', async () => {
      const answer = await fetch(`${ops}/readyz`);
      expect(answer.status).to.equal(503);
      expect(await answer.json()).to.have.nested.property('checks.schema', false);
    });
    const { code, errors } = await startService(settings()).done();
    expect(code).to.equal(1);
    expect(errors).to.include('the function set_mirrors(').and.include('is missing');
  });

  it('doctor and migrate give the statement that restores the record of the migration', async () => {
    await database.admin.query('delete from campaign_mirror.migrations');
    const said =
      /lacks its row: 0001-first-release(: |\n +)as the owner of the schema, then .* again: (insert .*)/;
    expect((await owner.run('migrate')).errors).to.match(said);
    const [, , insert = ''] = said.exec(await doctor()) ?? [];
    await database.admin.query(insert);
    expect(await owner.run('migrate')).to.include({ output: 'The schema is up to date.\n' });
  });

  it('every column, constraint, trigger and unique index is checked', async () => {
    const { rows } = await database.admin.query(catalogue);
    await database.admin.query('alter schema campaign_mirror rename to aside; create schema campaign_mirror');
    const parts = (await missingParts(database.admin)).filter((one) => !one.startsWith('the function '));
    expect(parts).to.have.members(rows.map(({ finding }) => finding));
  });

  it('doctor finds a function of another owner, and a role for which triggers are disabled', async () => {
    await database.admin.query('alter function campaign_mirror.set_mirrors owner to current_user');
    expect(await doctor()).to.match(
      /^problem +schema +the function set_mirrors is owned by another role\n +as a superuser, `alter function campaign_mirror.set_mirrors\(.*\) owner to campaign_mirror_owner`/m,
    );
    const whose = `alter role ${roles.operator} in database ${database.name}`;
    await database.admin.query(`${whose} set session_replication_role = 'replica'`);
    expect(await doctor()).to.match(
      /^problem +schema +triggers are disabled for "campaign_mirror_operator"/m,
    );
  });

  it('migrate replaces a function that was modified manually', async () => {
    const definition = async () =>
      (await database.admin.query("select prosrc from pg_proc where proname = 'refuse_address'")).rows[0]
        .prosrc;
    const before = await definition();
    await database.admin.query(`create or replace function campaign_mirror.refuse_address() returns trigger
      language plpgsql as 'begin return null; end'`);
    expect((await owner.run('migrate')).output).to.equal('Made again: function refuse_address.\n');
    expect(await definition()).to.equal(before);
  });
});

describe('schema: doctor finds mirrors that were written while triggers were disabled', () => {
  const service = groupedOf('suite');

  it('doctor counts these mirrors and names the first five', async () => {
    const lives = (await service.live(6)).toSorted((a, b) => a.seen.id - b.seen.id);
    const [moved, flagged, refused, ...deleted] = lives as [Live, Live, Live, ...Live[]];
    const { admin } = service.database;
    const tables = ['campaigns', 'mirrors', 'access_keys', 'key_uses'];
    const all = async (how: 'disable' | 'enable') => {
      for (const one of tables) await admin.query(`alter table campaign_mirror.${one} ${how} trigger all`);
    };
    const doctor = async () => (await commandsOn(service.database).run('doctor')).output;
    expect(await doctor()).not.to.match(/^problem +mirrors /m);
    await all('disable');
    await service.world.others.transfer(moved.seen.id, newOwner());
    await service.world.others.setDefault(flagged.seen.id, true);
    const setAddress =
      "update campaign_mirror.mirrors set target_url = 'ftp://a.example/' where campaign_id = $1";
    await admin.query(setAddress, [refused.seen.id]);
    for (const { seen } of deleted) await service.world.others.deleteCampaign(seen.id);
    await all('enable');
    const found = /^problem +mirrors +mirrors not as .*: (\d+), of the campaigns (.*)\n.*`(update .*?)`/m;
    const [, number, list = '', update = ''] = found.exec(await doctor()) ?? [];
    const faults = ['another owner or flag', 'another owner or flag', 'its address is refused'];
    const first = lives.slice(0, 5).map(({ seen: { id } }, at) => {
      return `${id} (${faults[at] ?? 'there is no such campaign'})`;
    });
    expect([number, list.split(', ')]).to.deep.equal(['6', first]);

    const owner = await connect(service.database.address('owner'));
    await owner.query(update).finally(() => owner.end());
    expect(await doctor()).to.match(/^problem +mirrors +mirrors not as they must be: 4, /m);
  });
});
