import { missingPartsText, openProbe, roles } from '@campaign-mirror/adapters-persistence/service';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { commandsOn } from '../support/commands/commands-on.ts';
import { query } from '../support/database/client.ts';
import { databaseOf, groupedOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { newOwner } from '../support/store/world.ts';

const foreignKey = 'mirrors_campaign_id_owner_id_is_default_fkey';
/** An `alter table`, the finding, and whether `migrate` repairs it. */
const cases: [change: string, finding: string, isRepaired: boolean][] = [
  ['operator_audit drop column part_of', 'the column part_of on operator_audit is missing', false],
  ['mirrors drop constraint mirrors_pkey', 'the constraint mirrors_pkey on mirrors is missing', false],
  // As a pg_restore that was killed leaves it.
  ['mirrors disable trigger all', `the constraint ${foreignKey} on mirrors is disabled`, false],
  ['mirrors disable trigger take_facts', 'the trigger take_facts on mirrors is disabled', true],
];

const missingParts = async (pool: Pool): Promise<string[]> =>
  (await pool.query(missingPartsText)).rows.map(({ finding }) => finding);

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

  for (const [change, finding, isRepaired] of cases)
    it(`${finding}: doctor and the probe say so, and migrate ${isRepaired ? 'repairs' : 'reports'} it`, async () => {
      await on.object('campaign create --owner 1');
      await database.admin.query(`alter table campaign_mirror.${change}`);
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
          .and.match(/: (restore a backup|as the owner of the schema, run|as a superuser, `alter table )/);
        return expect(await missingParts(database.admin)).to.deep.equal([finding]);
      }
      const part = finding.replace(/^the (.*) is \w+$/, '$1');
      expect(migrated.errors).to.equal('');
      expect(migrated.output).to.equal(`Recreated: ${part}.\n`);
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
    expect((await owner.run('migrate')).output).to.match(/^Recreated: function set_mirrors[.]/);
  });

  it('every column, constraint, trigger and unique index is checked', async () => {
    const { rows } = await database.admin.query(catalogue);
    await database.admin.query('alter schema campaign_mirror rename to aside; create schema campaign_mirror');
    const parts = (await missingParts(database.admin)).filter((one) => !one.startsWith('the function '));
    expect(parts).to.have.members(rows.map(({ finding }) => finding));
  });

  it('doctor finds a role for which triggers are disabled', async () => {
    const whose = `alter role ${roles.operator} in database ${database.name}`;
    await database.admin.query(`${whose} set session_replication_role = 'replica'`);
    const disabled = /^problem +schema +triggers are disabled for "campaign_mirror_operator"/m;
    expect(await doctor()).to.match(disabled);
  });
});

describe('schema: doctor finds mirrors that were written while triggers were disabled', () => {
  const service = groupedOf('suite');

  it('counts them, names their campaigns, and gives the statement that repairs some', async () => {
    const lives = (await service.live(3)).toSorted((a, b) => a.seen.id - b.seen.id);
    const [moved, refused, deleted] = lives.map(({ seen }) => seen.id) as [
      CampaignId,
      CampaignId,
      CampaignId,
    ];
    const { admin } = service.database;
    const doctor = async () => (await commandsOn(service.database).run('doctor')).output;
    expect(await doctor()).not.to.match(/^problem +mirrors /m);
    await admin.query(`begin; set local session_replication_role = replica;
      update campaign_mirror.campaigns set owner_id = ${newOwner()} where id = ${moved};
      update campaign_mirror.mirrors set target_url = 'ftp://a.example/' where campaign_id = ${refused};
      delete from campaign_mirror.campaigns where id = ${deleted}; commit`);
    const found = /^problem +mirrors .*: (\d+), of the campaigns (.*)\n.*`(update .*?)`/m;
    const [, count, list = '', update = ''] = found.exec(await doctor()) ?? [];
    expect([count, list.match(/\d+(?= \()/g)?.map(Number)]).to.deep.equal(['3', [moved, refused, deleted]]);

    await query(service.database.address('owner'), update);
    expect(await doctor()).to.match(/^problem +mirrors .*: 2, /m);
  });
});
