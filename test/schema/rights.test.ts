import { type Role, roles } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';
import { after as afterwards } from '../support/store/world.ts';

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
    ['SELECT', 'recent_moves'],
    ['INSERT', 'mirror_history'],
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

/** Who owns the schema and what is in it, and as whom its functions run, where that is not who calls them. */
const owned = `
  select nspowner::regrole::text as owner, null as runs from pg_namespace where nspname = 'campaign_mirror'
  union select relowner::regrole::text, null from pg_class where relnamespace = 'campaign_mirror'::regnamespace
  union select proowner::regrole::text, case when prosecdef then proname || ' ' || array_to_string(proconfig, ' ') end
    from pg_proc where pronamespace = 'campaign_mirror'::regnamespace
  order by 2 nulls last`;

const pruned = "select campaign_mirror.prune_history(now() - interval '2 days', 0, 0, 1000, 'me', 'request')";

describe('contract: the data around it — who may do what', () => {
  const service = groupedOf('suite');
  before(async () => {
    await service.set(await service.campaign(), afterwards);
  });

  it('is what was decided, nothing more and nothing less, and may not be passed on', async () => {
    const { admin } = service.database;
    const { rows } = await admin.query(granted);
    const names = Object.fromEntries(Object.entries(roles).map(([role, name]) => [name, role]));
    const found = rows.map((row) => `${names[row.role] ?? row.role}: ${row.privilege_type} ${row.object}`);
    const expected = Object.entries(decided).flatMap(([role, all]) =>
      all.flatMap(([rights = '', objects = '']) =>
        rights.split(' ').flatMap((right) => objects.split(' ').map((on) => `${role}: ${right} ${on}`)),
      ),
    );
    expect(found).to.have.members(expected);
    expect(rows.filter((row) => row.is_grantable)).to.deep.equal([]);
    // A function that runs with its owner's rights finds nothing but what is its owner's or the system's.
    expect((await admin.query(owned)).rows).to.deep.equal([
      { owner: roles.owner, runs: 'prune_history search_path=pg_catalog, pg_temp' },
      { owner: roles.owner, runs: null },
    ]);
    const { rows: powerful } = await admin.query(
      `select rolname from pg_roles where rolname = any($1) and (rolsuper or rolbypassrls or rolreplication
         or rolcreaterole or rolcreatedb or exists (select from pg_auth_members where member = pg_roles.oid))`,
      [Object.values(roles)],
    );
    expect(powerful).to.deep.equal([]);
  });

  it('the anchor by which the service locks a campaign cannot be changed; a redirector reads and counts', async () => {
    const changed = await as('service', 'update campaign_mirror.campaigns set lock_anchor = false');
    expect(changed).to.have.property('code', '428C9');

    const read = await as('redirector', 'select * from campaign_mirror.current_mirrors');
    expect(Object.keys(read.rows[0])).to.deep.equal(['campaign_id', 'target_url', 'updated_at']);
    expect(read.rows[0]).to.include({ target_url: afterwards });
    const counted = await as('redirector', 'update campaign_mirror.mirrors set clicks = clicks + 1');
    expect(counted).to.have.property('rowCount', 1);
  });

  it('history and audit are append-only, also for the owner; the operator prunes history by a function, but the last day', async () => {
    const stored = async () =>
      (
        await service.database.admin.query(`
          select (select json_agg(h) from campaign_mirror.mirror_history h) as history,
            (select json_agg(a) from campaign_mirror.operator_audit a) as audit`)
      ).rows[0];
    const before = await stored();
    const setting = "set campaign_mirror.pruning = 'on'";
    for (const statement of [
      "update campaign_mirror.mirror_history set address_after = ''",
      'delete from campaign_mirror.mirror_history',
      'truncate campaign_mirror.mirror_history',
      // That setting lets the history be pruned, not changed; nor the audit.
      `${setting}; update campaign_mirror.mirror_history set address_after = ''`,
      `${setting}; update campaign_mirror.operator_audit set operator = 'nobody'`,
      `${setting}; delete from campaign_mirror.operator_audit`,
      `${setting}; truncate campaign_mirror.operator_audit`,
      // One transaction: what the function said to the trigger would hold to its end.
      `begin; ${pruned}; delete from campaign_mirror.mirror_history; commit`,
    ]) {
      const refused = await as('owner', statement);
      expect(refused, statement).to.have.property('message').that.includes('append-only');
    }
    const tooYoung = await as('operator', pruned.replace('2 days', '23 hours'));
    expect(tooYoung).to.have.property('message').that.includes('of the last day');
    expect(await as('operator', pruned)).to.have.property('rowCount', 1);
    expect(await stored()).to.deep.equal(before);
    expect(before.history).to.have.length(1);
    expect(before.audit).not.to.deep.equal([]);
  });

  /** The result, or the error, of a statement of that role's. */
  async function as(role: Role, statement: string) {
    const client = await connect(service.database.address(role));
    return client
      .query(statement)
      .catch((error) => error)
      .finally(() => client.end());
  }
});
