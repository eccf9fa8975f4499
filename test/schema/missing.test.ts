import { missingPartsText, openProbe, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { rival } from '../support/database/rival.ts';
import { databaseOf, groupedOf } from '../support/process/lives.ts';
import { listeningService, startService } from '../support/process/service-process.ts';
import { eventually } from '../support/promises.ts';
import { type Live, newOwner } from '../support/store/world.ts';

/** What happens to the schema, one of the things that are said of it, and whether `migrate` puts all of it right. */
const cases: [what: string, statement: string, finding: string, isPutRight: boolean][] = [
  [
    'a column is missing',
    'alter table campaign_mirror.operator_audit drop column part_of',
    'the column part_of on operator_audit is missing',
    false,
  ],
  [
    'a column is missing that migrate needs',
    'alter table campaign_mirror.campaigns drop column name',
    'the column name on campaigns is missing',
    false,
  ],
  [
    'a constraint is missing',
    'alter table campaign_mirror.mirrors drop constraint mirrors_clicks_check',
    'the constraint mirrors_clicks_check on mirrors is missing',
    false,
  ],
  [
    'an index is missing',
    'drop index campaign_mirror.one_default_campaign_an_owner',
    'the index one_default_campaign_an_owner on campaigns is missing',
    false,
  ],
  [
    'a trigger is missing',
    'drop trigger append_only on campaign_mirror.operator_audit',
    'the trigger append_only on operator_audit is missing',
    true,
  ],
  [
    'a trigger is disabled',
    'alter table campaign_mirror.mirrors disable trigger take_facts',
    'the trigger take_facts on mirrors is disabled',
    true,
  ],
  [
    'all of a table is disabled, as by a pg_restore that was killed',
    'alter table campaign_mirror.mirrors disable trigger all',
    'the constraint mirrors_campaign_id_owner_id_is_default_fkey on mirrors is disabled',
    false,
  ],
  [
    'a function of the service is missing',
    'drop function campaign_mirror.set_mirrors',
    'the function set_mirrors(bigint[], bigint[], boolean[], text[], text[], bigint[], text[], text[], text[], ' +
      'bigint[], boolean) is missing',
    true,
  ],
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
    -- A column that is not null is such a constraint since PostgreSQL 18.
    union all select 'constraint', conname from pg_constraint where conrelid = relations.oid and contype <> 'n'
    union all select 'index', index.relname from pg_index join pg_class as index on index.oid = indexrelid
      where indrelid = relations.oid and not exists (select from pg_constraint where conindid = indexrelid)
        and (indisunique or index.relname = 'changes_by_transaction')
  ) as parts`;

describe('what is missing or disabled in the schema', () => {
  const database = databaseOf('test');
  const owner = commandsOn(database, 'owner');
  const on = commandsOn(database);
  const doctor = async () => (await on.run('doctor')).output;
  const settings = () => ({ DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' });

  for (const [what, statement, finding, isPutRight] of cases)
    it(`${what}: doctor, /readyz, a start and migrate say so`, async () => {
      await on.object('campaign create --owner 1');
      await database.admin.query(statement);
      expect(await doctor())
        .to.match(/^problem +schema /m)
        .and.include(finding);
      const probe = openProbe(database.address('service'), 10_000);
      expect(await probe.ask().finally(() => probe.close())).to.include({ migrations: true, schema: false });
      const { code, errors } = await startService(settings()).done();
      expect([code, errors]).to.have.property('1').that.includes(finding);
      expect(code).to.equal(1);

      const migrated = await owner.run('migrate');
      if (!isPutRight) {
        expect(migrated.errors).to.match(
          /: (restore a backup|as the owner of the schema, run its statement|as a superuser, `alter table [\w.]+ enable trigger all`)/,
        );
        expect(migrated).to.include({ code: 1 }).and.property('errors').includes(finding);
        expect(migrated.output).not.to.include('up to date');
        return expect(await missingParts(database.admin)).to.deep.equal([finding]);
      }
      const part = finding.replace(/^the (.*?)(\(.*)? is \w+$/, '$1');
      expect(migrated.errors).to.equal('');
      expect(migrated.output).to.match(new RegExp(`^Made again: ${part}[.]`));
      expect(await missingParts(database.admin)).to.deep.equal([]);
      expect(await owner.run('migrate')).to.include({ output: 'The schema is up to date.\n' });
      const [{ act, details }] = await on.objects('audit');
      expect([act, details.made_again]).to.deep.equal(['schema-migrated', part]);
    });

  it('the record of the migration is missing: doctor and migrate say so, with the statement that puts it back', async () => {
    await database.admin.query('delete from campaign_mirror.migrations');
    const said =
      /campaign_mirror.migrations lacks its row: 0001-first-release(: |\n +)as the owner of the schema, then `\.\/campaign-mirror migrate` again: (insert .*)/;
    const { errors } = await owner.run('migrate');
    expect(errors).to.match(said);
    const [, , insert = ''] = said.exec(await doctor()) ?? [];
    await database.admin.query(insert);
    await owner.session(`
      $ migrate
      The schema is up to date.`);
  });

  it('every column, constraint, trigger and unique index is looked for', async () => {
    const { rows } = await database.admin.query(catalogue);
    await database.admin.query('alter schema campaign_mirror rename to aside; create schema campaign_mirror');
    const parts = (await missingParts(database.admin)).filter((one) => !one.startsWith('the function '));
    expect(parts).to.have.members(rows.map(({ finding }) => finding));
  });

  it('/readyz answers 503 where the function that sets mirrors has another signature', async () => {
    const { ops } = await listeningService(settings());
    await database.admin.query('drop function campaign_mirror.set_mirrors');
    await eventually('503 from /readyz', async () => {
      const answer = await fetch(`${ops}/readyz`);
      expect(answer.status).to.equal(503);
      expect(await answer.json()).to.have.nested.property('checks.schema', false);
    });
  });

  it('a function of another role: doctor says who has to give it back', async () => {
    await database.admin.query('alter function campaign_mirror.set_mirrors owner to current_user');
    expect(await doctor()).to.match(
      /^problem +schema +the function set_mirrors is owned by another role\n +as a superuser, `alter function campaign_mirror.set_mirrors\(.*\) owner to campaign_mirror_owner`/m,
    );
  });

  it('a user for whom no trigger fires', async () => {
    const whose = `alter role ${roles.operator} in database ${database.name}`;
    await database.admin.query(`${whose} set session_replication_role = 'replica'`);
    expect(await doctor()).to.match(
      /^problem +schema +triggers are disabled for "campaign_mirror_operator"/m,
    );
  });

  it('a function that somebody replaced is put right by migrate', async () => {
    const insert = async () => {
      const client = await connect(database.address('operator'));
      const text = `insert into campaign_mirror.campaigns (id, owner_id) values (1, 1) on conflict do nothing;
        insert into campaign_mirror.mirrors (campaign_id, target_url) values (1, 'ftp://a.example/')`;
      const code = await client.query(text).then(
        () => 'done',
        (error) => error.code,
      );
      await client.query('delete from campaign_mirror.campaigns');
      await client.end();
      return code;
    };
    await database.admin.query(`create or replace function campaign_mirror.refuse_address() returns trigger
      language plpgsql as 'begin return null; end'`);
    expect(await insert()).to.equal('done');
    expect(await owner.run('migrate')).to.deep.include({
      ...{ code: 0, errors: '' },
      output: 'Made again: function refuse_address.\n',
    });
    expect(await insert()).to.equal('23514');
  });

  it('a start that migrates locks nothing where nothing is missing', async () => {
    const writer = await rival(database, 'lock table campaign_mirror.mirrors in row exclusive mode');
    const { process } = await listeningService({
      DATABASE_URL: database.url('owner'),
      RUN_MIGRATIONS: 'true',
    });
    expect(process.output).not.to.include('migration-awaited');
    await writer.rollback();
  });
});

describe('mirrors that were written while foreign keys and triggers were disabled', () => {
  const service = groupedOf('suite');

  it('doctor counts them and names the first five', async () => {
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
    const faults = ['other owner or flag', 'other owner or flag', 'invalid address'];
    const first = lives.slice(0, 5).map(({ seen: { id } }, at) => {
      return `${id} (${faults[at] ?? 'no such campaign'})`;
    });
    expect([number, list.split(', ')]).to.deep.equal(['6', first]);

    const owner = await connect(service.database.address('owner'));
    await owner.query(update).finally(() => owner.end());
    expect(await doctor()).to.match(/^problem +mirrors +mirrors not as they must be: 4, /m);
  });
});
