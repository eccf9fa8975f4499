import { migrate, roles } from '@campaign-mirror/adapters-persistence';
import { auditedActs } from '@campaign-mirror/domain';
import { expect } from 'chai';
import {
  type Enforced,
  enforced,
  enforcementFaults,
} from '../../packages/adapters-persistence/src/schema/enforced.ts';
import { command } from '../support/commands/command.ts';
import { databaseOf, groupedOf } from '../support/process/lives.ts';
import { startService } from '../support/process/service-process.ts';
import { type Live, newOwner } from '../support/store/world.ts';

const of = (...kinds: Enforced['kind'][]) => enforced.filter(({ kind }) => kinds.includes(kind));
const named = ({ kind, name, table }: Enforced) => `the ${kind} ${name}${table ? ` on ${table}` : ''}`;

/** What is in the schema, as PostgreSQL writes it; a check that `migrate` made again is not validated. */
const catalogue = `
  with here as (select 'campaign_mirror'::regnamespace as oid)
  select 'function ' || proname as name, pg_get_functiondef(pg_proc.oid) as text
    from pg_proc join here on pronamespace = here.oid
  union all select 'view ' || relname, pg_get_viewdef(pg_class.oid) || coalesce(reloptions::text, '')
    from pg_class join here on relnamespace = here.oid where relkind = 'v'
  union all select 'column ' || attname || ' of ' || relname, 'never null'
    from pg_attribute join pg_class on pg_class.oid = attrelid join here on relnamespace = here.oid
    where relkind = 'r' and relname <> 'migrations' and attnotnull and attnum > 0
  union all select 'trigger ' || tgname || ' on ' || relname, pg_get_triggerdef(pg_trigger.oid) || tgenabled::text
    from pg_trigger join pg_class on pg_class.oid = tgrelid join here on relnamespace = here.oid where not tgisinternal
  union all select 'constraint ' || conname || ' on ' || relname, replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID', '')
    from pg_constraint join pg_class on pg_class.oid = conrelid join here on relnamespace = here.oid where contype <> 'n' and relname <> 'migrations'
  union all select 'index ' || relname || ' on ' || replace(indrelid::regclass::text, 'campaign_mirror.', ''), pg_get_indexdef(indexrelid)
    from pg_index join pg_class on pg_class.oid = indexrelid join here on relnamespace = here.oid
    where (indisunique or relname = 'changes_by_transaction') and not exists (select from pg_constraint where conindid = indexrelid)
  order by 1`;

const isAct = /'((?:campaign|default|mirror|key|history|host)s?-[a-z]+)'/g;

const dropFunction = ({ name }: Enforced) =>
  `do $$ begin execute (select 'drop function ' || oid::regprocedure || ' cascade' from pg_proc
    where pronamespace = 'campaign_mirror'::regnamespace and proname = '${name}'); end $$`;

/** How each of these stops enforcing, and what is then said of it. */
const ways: [what: string, all: readonly Enforced[], (one: Enforced) => string, fault: string][] = [
  [
    'views that show something else',
    of('view'),
    ({ name, text }) =>
      text.replace(
        new RegExp(`.*(view campaign_mirror\\.${name} as)(.*?);.*`, 's'),
        'create or replace $1 select * from ($2) as shown where false',
      ),
    'is not that of this version',
  ],
  [
    "views that read with their caller's rights",
    of('view'),
    ({ name }) => `alter view campaign_mirror.${name} set (security_invoker = true)`,
    'is not that of this version',
  ],
  [
    'views that are missing',
    of('view'),
    ({ name }) => `drop view if exists campaign_mirror.${name} cascade`,
    'is missing',
  ],
  [
    'triggers that are off',
    of('trigger'),
    ({ name, table }) => `alter table campaign_mirror.${table} disable trigger ${name}`,
    'is off',
  ],
  [
    'triggers that are missing',
    of('trigger'),
    ({ name, table }) => `drop trigger ${name} on campaign_mirror.${table}`,
    'is missing',
  ],
  [
    'triggers with another condition',
    of('trigger'),
    ({ text }) =>
      text.replace(
        /(?:when \((.*)\))?\s*execute/s,
        (_, when = 'true') => ` when (false and (${when})) execute`,
      ),
    'is not that of this version',
  ],
  [
    'functions that do something else',
    of('function'),
    ({ text, body }) => text.replace(body ?? '', () => `${body} `),
    'is not that of this version',
  ],
  [
    'functions that find what their caller names',
    of('function'),
    ({ name }) => `alter function campaign_mirror.${name} reset all`,
    'is not that of this version',
  ],
  [
    "functions that run with their caller's rights, or with the owner's where they must not",
    of('function'),
    ({ name, definer }) =>
      `alter function campaign_mirror.${name} security ${definer ? 'invoker' : 'definer'}`,
    'is not that of this version',
  ],
  [
    'constraints that are missing',
    of('constraint'),
    ({ name, table }) => `alter table campaign_mirror.${table} drop constraint if exists ${name} cascade`,
    'is missing',
  ],
  [
    'constraints with another condition',
    of('constraint').filter(({ body }) => body),
    ({ name, table }) =>
      `alter table campaign_mirror.${table} drop constraint ${name}, add constraint ${name} check (true)`,
    'is not that of this version',
  ],
  [
    'indexes of something else',
    of('index'),
    ({ name, table }) =>
      `drop index campaign_mirror.${name}; create index ${name} on campaign_mirror.${table} (id)`,
    'is not that of this version',
  ],
  ['indexes that are missing', of('index'), ({ name }) => `drop index campaign_mirror.${name}`, 'is missing'],
  [
    'indexes whose building was interrupted',
    of('index'),
    ({ name }) =>
      `update pg_index set indisvalid = false where indexrelid = 'campaign_mirror.${name}'::regclass`,
    'is missing',
  ],
];

describe('what enforces the promises', () => {
  const database = databaseOf('suite');
  const run = async (text: string, values?: unknown[]) => (await database.admin.query(text, values)).rows;
  const faults = async () => (await enforcementFaults(run)).map(({ finding }) => finding);
  const doctor = async () => (await command(['doctor'], { DATABASE_URL: database.url('operator') })).output;
  let fresh: Record<string, string>[];

  before(async () => {
    fresh = await run(catalogue);
    // What has the same names, in a schema of somebody else.
    const [constraint] = of('constraint');
    await run(`create schema other; create table other.campaigns (owner_id bigint);
      create table other.mirrors (id int constraint ${constraint?.name} check (id > 0)); create view other.current_mirrors as select 1;
      create unique index one_default_campaign_an_owner on other.campaigns (owner_id);
      create function other.note() returns int language sql as 'select 1'`);
  });
  afterEach(async () => {
    await migrate(database.address('owner'));
    expect(await faults()).to.deep.equal([]);
    expect(await run(catalogue), 'all is as it was').to.deep.equal(fresh);
  });

  it('is found as it should be by every session, however it writes names and values', async () => {
    const client = await database.admin.connect();
    await client.query(`set timezone = 'Asia/Kathmandu'; set datestyle = 'SQL, DMY'; set intervalstyle = iso_8601;
      set quote_all_identifiers = on; set search_path = campaign_mirror, pg_catalog`);
    const found = await enforcementFaults(async (text, values) => (await client.query(text, values)).rows);
    client.release(true);
    expect(found).to.deep.equal([]);
  });

  it('records the acts that the domain names, and no other', () => {
    const acts = enforced.flatMap(({ kind, body }) =>
      kind === 'function' ? [...(body ?? '').matchAll(isAct)] : [],
    );
    expect([...new Set(acts.map(([, act]) => act))].sort()).to.deep.equal([...auditedActs].sort());
  });

  it('is all that the schema has: none is left out of what is examined', () => {
    const listed = [...of('view', 'function', 'trigger', 'constraint'), ...of('index')].map((one) =>
      named(one).slice(4),
    );
    const found = fresh.map(({ name = '' }) => name).filter((name) => !name.startsWith('column '));
    expect(found).to.have.members(listed);
  });

  it('columns in which a value must be', async () => {
    const all = fresh.flatMap(({ name = '' }) => (/^column (\w+) of (\w+)$/.exec(name) ? [name] : []));
    for (const name of all) {
      const [, column, , table] = name.split(' ');
      // Of a primary key and of numbers, PostgreSQL refuses it.
      await run(`alter table campaign_mirror.${table} alter ${column} drop not null`).catch((error) =>
        expect(error.message).to.match(/ is (?:in a primary key|an identity column)$/),
      );
    }
    const tables = new Set(all.map((name) => name.replace(/.* of /, 'campaign_mirror.')));
    const expected = [...tables].map((table) => `the table ${table} takes null where a value must be`);
    expect(await faults()).to.have.members(expected);
  });

  for (const [what, all, statement, fault] of ways)
    it(`${what}: each is named by doctor, and put right by migrate`, async () => {
      for (const one of all) await run(statement(one));
      const expected = all.map((one) => `${named(one)} ${fault}`);
      expect(await faults(), 'in this order').to.deep.equal(expected);
      const rest = expected.length > 5 ? `, .*, ${expected.length - 5} more` : '';
      const line = new RegExp(
        `^problem +enforcement +the .* ${fault}${rest}\\n +run \`./campaign-mirror migrate\``,
        'm',
      );
      expect(await doctor()).to.match(line);
    });

  it('one of all these keeps the service from starting', async () => {
    await run('drop trigger append_only on campaign_mirror.operator_audit');
    const settings = { DATABASE_URL: database.url('service'), RUN_MIGRATIONS: 'false' };
    const { code, errors } = await startService(settings).done();
    expect(code).to.equal(1);
    expect(errors).to.include('the trigger append_only on operator_audit is missing');
  });

  it('functions that are missing, with the triggers that call them', async () => {
    for (const one of of('function')) await run(dropFunction(one));
    const gone = of('function', 'trigger').map((one) => `${named(one)} is missing`);
    expect(await faults()).to.have.members(gone);
  });

  it('tables that lose rows in a crash, hide them or write them otherwise', async () => {
    const table = 'campaign_mirror.operator_audit';
    await run(`create unlogged table campaign_mirror.of_somebody ();
      alter table campaign_mirror.of_somebody owner to ${roles.owner}`);
    await run(`alter table ${table} set unlogged; alter table ${table} enable row level security, force row level security;
      alter table ${table} alter details drop not null, alter act drop not null;
      create rule "no ""one at 5%" as on insert to ${table} do instead nothing; create rule two as on delete to ${table} do instead nothing`);
    expect((await faults()).toSorted()).to.deep.equal(
      [
        'has rules',
        'hides rows from some roles: it has row security',
        'is unlogged: a crash empties it',
        'takes null where a value must be',
      ].map((fault) => `the table ${table} ${fault}`),
    );
    await run('drop table campaign_mirror.of_somebody');
  });

  it("a function of another role, which would run with that user's rights: doctor says who has to give it back", async () => {
    const whose = (owner: string) =>
      run(`do $$ begin execute (select 'alter function ' || oid::regprocedure || ' owner to ${owner}' from pg_proc
        where proname = 'set_mirrors_if'); end $$`);
    await whose('current_user');
    expect(await doctor()).to.match(
      /^problem +enforcement +the function campaign_mirror\.set_mirrors_if\(.*\) belongs to \w+, not to campaign_mirror_owner\n +as a superuser, alter the owner/m,
    );
    await whose(roles.owner);
  });

  it('a user for whom no trigger fires', async () => {
    const whose = `alter role ${roles.operator} in database ${database.name}`;
    await run(`${whose} set session_replication_role = 'replica'`);
    expect(await doctor()).to.match(
      /^problem +enforcement +triggers are off for "campaign_mirror_operator"/m,
    );
    await run(`${whose} reset all`);
  });
});

describe('foreign keys that were left off, as by a restore that was killed', () => {
  const service = groupedOf('suite');

  it('doctor names them and the mirrors that were not told; migrate tells them, and the audit has what was deleted', async () => {
    const lives = (await service.live(6)).toSorted((a, b) => a.seen.id - b.seen.id);
    const [moved, orphan, flagged, ...others] = lives as [Live, Live, Live];
    const { admin } = service.database;
    const doctor = async () =>
      (await command(['doctor'], { DATABASE_URL: service.database.url('operator') })).output;
    for (const table of ['campaigns', 'mirrors', 'access_keys', 'key_uses'])
      await admin.query(`alter table campaign_mirror.${table} disable trigger all`);
    const owner = newOwner();
    await service.world.others.transfer(moved.seen.id, owner);
    await service.world.others.setDefault(flagged.seen.id, true);
    for (const { seen } of [...others, orphan]) await service.world.others.deleteCampaign(seen.id);
    const told = await doctor();
    expect(told).to.match(/^problem +enforcement .*more\n/m);
    const [, number, list = ''] =
      /^problem +mirrors +(\d+) mirrors are .*, of the campaigns (.*)/m.exec(told) ?? [];
    const [differs, isAlone] = [' (not its owner or flag)', ' (there is no such campaign)'];
    const all = [moved, orphan, flagged, ...others].map(({ seen: { id } }, at) => {
      return `${id}${at % 2 === 0 && at < 3 ? differs : isAlone}`;
    });
    expect([number, list.split(', ')], 'the first five').to.deep.equal(['6', all.slice(0, 5)]);

    await migrate(service.database.address('owner'));
    const said = await doctor();
    expect(said)
      .to.match(/^ok +enforcement /m)
      .and.not.match(/^\w+ +mirrors /m);
    const facts =
      'select owner_id::float8, is_default from campaign_mirror.mirrors where campaign_id = any ($1) order by campaign_id';
    const ids = [moved, orphan, flagged].map(({ seen }) => seen.id);
    expect((await admin.query(facts, [ids])).rows).to.deep.equal([
      { owner_id: owner, is_default: false },
      { owner_id: flagged.seen.ownerId, is_default: true },
    ]);
    const [entry] = await service.world.audit.list({ campaign: orphan.seen.id, limit: 1 });
    expect(entry).to.include({ act: 'mirror-deleted', databaseRole: roles.owner });
  });
});
