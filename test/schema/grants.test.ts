import { type Role, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type pg from 'pg';
import { connect } from '../support/database/client.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { postgresPorts } from '../support/store/postgres-world.ts';
import {
  after as afterwards,
  before as beforehand,
  change,
  type Live,
  liveCampaign,
  mirrorSet,
} from '../support/store/world.ts';

/** All that anybody but the owner may do: the rights, and what they are rights on. */
const decided = {
  operator: [
    ['DELETE INSERT SELECT UPDATE', 'campaigns'],
    ['INSERT SELECT UPDATE', 'mirrors access_keys'],
    ['INSERT SELECT', 'mirror_history operator_audit'],
    ['SELECT', 'current_mirrors migrations'],
    [
      'SELECT UPDATE USAGE',
      'access_keys_id_seq campaigns_id_seq mirror_history_id_seq mirrors_id_seq operator_audit_id_seq',
    ],
    ['USAGE', 'campaign_mirror'],
    ['EXECUTE', 'prune_history'],
  ],
  service: [
    ['SELECT', 'campaigns.id campaigns.owner_id campaigns.is_default mirrors migrations.name'],
    ['UPDATE', 'campaigns.lock_anchor mirrors.target_url mirrors.updated_externally'],
    ['UPDATE', 'mirrors.updated_externally_at mirrors.updated_at access_keys.last_used_at'],
    ['SELECT', 'access_keys.id access_keys.hash access_keys.owner_id access_keys.expires_at'],
    ['SELECT', 'access_keys.revoked_at access_keys.last_used_at'],
    ['INSERT', 'mirror_history'],
    ['SELECT', 'recent_moves'],
    ['USAGE', 'campaign_mirror'],
  ],
  redirector: [
    ['SELECT', 'current_mirrors mirrors.campaign_id mirrors.clicks'],
    ['UPDATE', 'mirrors.clicks'],
    ['USAGE', 'campaign_mirror'],
  ],
  // A function of a trigger cannot be called.
  everybody: [['EXECUTE', 'refuse_to_change_history']],
};

/** Rights on the schema, its tables, views, sequences, their columns, and functions; grantee 0 is everybody. */
const granted = `
  with schema as (select oid, nspname, nspacl, nspowner from pg_namespace where nspname = 'campaign_mirror'),
  acls (object, acl, owner) as (
    select nspname::text, nspacl, nspowner from schema
    union all select relname::text, relacl, relowner from pg_class join schema on relnamespace = schema.oid
    union all select relname || '.' || attname, attacl, relowner
      from pg_attribute join pg_class on pg_class.oid = attrelid join schema on relnamespace = schema.oid
    union all select proname::text, coalesce(proacl, acldefault('f', proowner)), proowner
      from pg_proc join schema on pronamespace = schema.oid
  )
  select case grantee when 0 then 'everybody' else grantee::regrole::text end as role, privilege_type, object,
    is_grantable
  from acls, aclexplode(acl) where grantee <> owner`;

const pruned = "select campaign_mirror.prune_history(now() - interval '2 days', 0, 0, 1000, 'me', 'request')";

describe('contract: the data around it — who may do what', () => {
  let database: TestDatabase;
  let live: Live;
  let release: () => Promise<void>;

  before(async () => {
    database = await freshDatabase();
    const ports = await postgresPorts(database);
    release = ports.close;
    live = await liveCampaign(ports);
    await mirrorSet(ports, live.seen, change(live.by));
  });
  after(async () => {
    await release();
    await database.drop();
  });

  it('is what was decided, nothing more and nothing less, and may not be passed on', async () => {
    const { rows } = await database.admin.query(granted);
    const names: Record<string, string> = Object.fromEntries(
      Object.entries(roles).map(([role, name]) => [name, role]),
    );
    const found = rows.map((row) => `${names[row.role] ?? row.role}: ${row.privilege_type} ${row.object}`);
    const expected = Object.entries(decided).flatMap(([role, all]) =>
      all.flatMap(([rights = '', objects = '']) =>
        rights.split(' ').flatMap((right) => objects.split(' ').map((on) => `${role}: ${right} ${on}`)),
      ),
    );
    expect(found).to.have.members(expected);
    expect(rows.filter((row) => row.is_grantable)).to.deep.equal([]);
  });

  it('the roles have no rights by membership, of creating anything, or beyond the law', async () => {
    const { rows } = await database.admin.query(
      `select rolname from pg_roles where rolname = any($1) and (rolsuper or rolbypassrls or rolreplication
         or exists (select from pg_auth_members where member = pg_roles.oid)
         or rolname <> $2 and has_schema_privilege(rolname, 'campaign_mirror', 'create'))`,
      [Object.values(roles), roles.owner],
    );
    expect(rows).to.deep.equal([]);
  });

  it('the anchor by which the service locks a campaign cannot be changed, not even by it', async () => {
    expect(await as('service', 'select id from campaign_mirror.campaigns for share')).to.have.property(
      'rowCount',
      1,
    );
    const changed = await as('service', 'update campaign_mirror.campaigns set lock_anchor = false');
    expect(changed).to.have.property('code', '428C9');
  });

  it('a redirector reads current_mirrors and counts clicks', async () => {
    const { rows } = (await as(
      'redirector',
      'select * from campaign_mirror.current_mirrors',
    )) as pg.QueryResult;
    expect(rows.map((row) => [row.campaign_id, row.target_url])).to.deep.equal([
      [String(live.seen.id), afterwards],
    ]);
    const count = `update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = ${live.seen.id}`;
    expect(await as('redirector', count)).to.have.property('rowCount', 1);
  });

  it('history is append-only, also for the owner of the table', async () => {
    for (const statement of [
      "update campaign_mirror.mirror_history set address_after = ''",
      'delete from campaign_mirror.mirror_history',
      'truncate campaign_mirror.mirror_history',
    ]) {
      const refused = await as('owner', statement);
      expect(refused, statement).to.have.property('message').that.includes('append-only');
    }
    const { rows } = (await as('owner', 'select * from campaign_mirror.mirror_history')) as pg.QueryResult;
    expect(rows.map((row) => [row.address_before, row.address_after])).to.deep.equal([
      [beforehand, afterwards],
    ]);
  });

  it('the operator prunes old history by the function, which keeps the last day and leaves nothing open behind it', async () => {
    const tooYoung = pruned.replace('2 days', '23 hours');
    expect(await as('operator', tooYoung))
      .to.have.property('message')
      .that.includes('of the last day');
    expect(await as('operator', pruned)).to.have.property('rowCount', 1);
    // One transaction: what the function said to the trigger would hold to its end.
    const statements = `begin; ${pruned}; delete from campaign_mirror.mirror_history; commit`;
    expect(await as('owner', statements))
      .to.have.property('message')
      .that.includes('append-only');
    const { rows } = (await as('operator', 'select from campaign_mirror.mirror_history')) as pg.QueryResult;
    expect(rows).to.have.length(1);
  });

  it('a function that runs with its owner’s rights finds nothing but what is its owner’s or the system’s', async () => {
    const { rows } = await database.admin.query(`
      select proname, proconfig from pg_proc
      where pronamespace = 'campaign_mirror'::regnamespace and prosecdef`);
    expect(rows).to.deep.equal([
      { proname: 'prune_history', proconfig: ['search_path=pg_catalog, pg_temp'] },
    ]);
  });

  /** The result, or the error, of a statement of that role's. */
  async function as(role: Role, statement: string): Promise<unknown> {
    const client = await connect(database.address(role));
    try {
      return await client.query(statement);
    } catch (error) {
      return error;
    } finally {
      await client.end();
    }
  }
});

describe('contract: the data around it — the view that redirectors read', () => {
  it('has three columns: campaign_id, target_url, updated_at', async () => {
    const database = await freshDatabase();
    const { rows } = await database.admin.query(`
      select column_name, data_type from information_schema.columns
      where table_schema = 'campaign_mirror' and table_name = 'current_mirrors' order by ordinal_position`);
    expect(rows.map((row) => `${row.column_name} ${row.data_type}`)).to.deep.equal([
      'campaign_id bigint',
      'target_url text',
      'updated_at timestamp with time zone',
    ]);
  });
});
