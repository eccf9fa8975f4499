import { type Role, roles } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';
import { after as afterwards, type Live } from '../support/store/world.ts';

/** The rights of each role. The owner has all. */
const decided = {
  operator: [
    ['DELETE INSERT SELECT', 'campaigns'],
    ['UPDATE', 'campaigns.owner_id campaigns.is_default mirrors.clicks access_keys.expires_at'],
    ['UPDATE', 'access_keys.revoked_at access_keys.replaced_by'],
    ['INSERT SELECT', 'access_keys'],
    ['SELECT', 'mirrors'],
    ['INSERT', 'mirrors.id mirrors.campaign_id mirrors.target_url mirrors.clicks mirrors.created_at'],
    ['INSERT', 'mirrors.updated_at mirrors.updated_externally mirrors.updated_externally_at'],
    ['SELECT', 'mirror_history operator_audit key_uses current_mirrors deletions migrations'],
    ['SELECT', 'sequences_behind transactions_ahead'],
    ['SELECT UPDATE USAGE', 'campaigns_id_seq mirrors_id_seq'],
    ['USAGE', 'campaign_mirror'],
    ['EXECUTE', 'find_keys find_campaigns set_mirrors set_mirrors_as_operator prune_history changes_since'],
    ['EXECUTE', 'delete_mirror'],
    ['EXECUTE', 'is_address passed'],
  ],
  service: [
    ['SELECT', 'access_keys.expires_at access_keys.revoked_at access_keys.replaced_by'],
    ['SELECT', 'migrations.name sequences_behind transactions_ahead'],
    ['EXECUTE', 'find_keys find_campaigns set_mirrors'],
    ['USAGE', 'campaign_mirror'],
  ],
  redirector: [
    ['SELECT', 'current_mirrors'],
    ['EXECUTE', 'changes_since count_clicks'],
    ['USAGE', 'campaign_mirror'],
  ],
};

/** All rights on the schema and its objects. Grantee 0 is PUBLIC. */
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

/** The owners of the schema and its objects, and its `security definer` functions. */
const owned = `
  select nspowner::regrole::text as owner, null as runs from pg_namespace where nspname = 'campaign_mirror'
  union select relowner::regrole::text, null from pg_class where relnamespace = 'campaign_mirror'::regnamespace
  union select proowner::regrole::text, case when prosecdef then proname || ' ' || array_to_string(proconfig, ' ') end
    from pg_proc where pronamespace = 'campaign_mirror'::regnamespace
  order by 2 nulls last`;

const pruned = "select campaign_mirror.prune_history(now() - interval '2 days', 0, 1000, 'me', 'request')";

describe('contract: the data around it — each role has exactly the documented rights', () => {
  const service = groupedOf('suite');
  let live: Live;
  before(async () => {
    live = await service.campaign();
    await service.set(live, afterwards);
  });

  it('no role has another right, may pass on a right, or has a power on the server', async () => {
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
    const definers = (await admin.query(owned)).rows;
    expect(new Set(definers.map(({ owner }) => owner))).to.deep.equal(new Set([roles.owner]));
    for (const { runs } of definers)
      if (runs !== null) expect(runs).to.match(/^\w+ search_path=pg_catalog, pg_temp(?: enable_\w+=off)*$/);
    const { rows: powerful } = await admin.query(
      `select rolname from pg_roles where rolname = any($1) and (rolsuper or rolbypassrls or rolreplication
         or rolcreaterole or rolcreatedb or exists (select from pg_auth_members where member = pg_roles.oid))`,
      [Object.values(roles)],
    );
    expect(powerful).to.deep.equal([]);
  });

  it('history and audit are append-only, even for the owner; a function prunes, but not the last day', async () => {
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
      `${setting}; update campaign_mirror.mirror_history set address_after = ''`,
      `${setting}; update campaign_mirror.operator_audit set operator = 'nobody'`,
      `${setting}; delete from campaign_mirror.operator_audit`,
      `${setting}; truncate campaign_mirror.operator_audit`,
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

  it('the service can change an address only with a valid key, and the change has its row', async () => {
    const address = 'https://elsewhere.example/';
    const setBy = (key: number) =>
      `select * from campaign_mirror.set_mirrors('{${live.seen.id}}', '{${live.seen.ownerId}}', '{f}', '{${address}}',
        '{NULL}', '{${key}}', '{key}', '{NULL}', '{r}', '{NULL}', false)`;
    const foreign = await service.campaign();
    const refused = await as('service', setBy(foreign.keyId));
    expect(refused.rows[0]).to.include({ caller_is_valid: false, changed_at: null });
    const since = await service.world.others.clock();
    expect((await as('service', setBy(live.keyId))).rows[0]).to.include({ place: '1' });
    const change = (await service.world.others.history(live.seen.id)).at(-1);
    expect(change).to.include({ addressBefore: afterwards, addressAfter: address });
    expect(String(change?.changedAt) > since).to.equal(true);
  });

  /** The result of the statement, or its error. */
  async function as(role: Role, statement: string) {
    const client = await connect(service.database.address(role));
    return client
      .query(statement)
      .catch((error) => error)
      .finally(() => client.end());
  }
});
