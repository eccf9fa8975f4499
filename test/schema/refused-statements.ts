import type pg from 'pg';

/** A statement that sets one mirror by this function. */
export const set = (actor: string, subject: string, request: string, name = 'set_mirrors', more = '') =>
  `select * from campaign_mirror.${name}('{1}', '{1}', '{f}', '{https://a.example/}', '{NULL}', '{NULL}',
    array[${actor}], array[${subject}], array[${request}], '{NULL}', false${more})`;

/** No role may run these. */
const everybody = [
  // Become another role, or gain rights.
  'set role campaign_mirror_owner',
  'set session authorization campaign_mirror_owner',
  'grant campaign_mirror_owner to current_user',
  'alter role current_user superuser',
  "alter role campaign_mirror_owner password 'mine'",
  "alter role campaign_mirror_owner set statement_timeout = '1ms'",
  'create role mine',
  // Change the schema, or call its internal functions.
  'create database mine',
  'create schema mine',
  'create extension dblink',
  'create table campaign_mirror.mine (id int)',
  "create function campaign_mirror.mine() returns int language sql as 'select 1'",
  'alter function campaign_mirror.set_mirrors reset all',
  "select campaign_mirror.note('key-issued', null, 1, 1, '{}')",
  set("'jwt'", "'me'", "'r'", 'set_each', ', 1'),
  "select campaign_mirror.note_key_uses('{1}')",
  `create trigger mine before insert on campaign_mirror.mirrors for each row
    execute function suppress_redundant_updates_trigger()`,
  'alter table campaign_mirror.mirror_history disable trigger all',
  'set session_replication_role = replica',
  'alter table campaign_mirror.mirrors drop constraint mirrors_pkey',
  'drop table campaign_mirror.mirror_history',
  'truncate campaign_mirror.mirrors',
  // Change the history, the audit, or an address without a history.
  "update campaign_mirror.mirror_history set address_after = 'https://a.example/'",
  "set campaign_mirror.pruning = 'on'; delete from campaign_mirror.mirror_history",
  'insert into campaign_mirror.mirror_history (campaign_id) values (1)',
  "select setval('campaign_mirror.mirror_history_id_seq', 1)",
  "update campaign_mirror.operator_audit set operator = 'nobody'",
  "insert into campaign_mirror.operator_audit (act) values ('key-issued')",
  "update campaign_mirror.mirrors set target_url = 'https://a.example/'",
  'update campaign_mirror.mirrors set owner_id = 1',
  'update campaign_mirror.mirrors set last_change_id = 1',
  // Reach the server, or fill its disk.
  'begin; lock table campaign_mirror.mirrors in access exclusive mode',
  'select * from pg_authid',
  "select pg_read_file('PG_VERSION')",
  "copy (select 1) to '/tmp/mine'",
  "copy (select 1) to program 'true'",
  'select lo_create(0)',
  "select lo_from_bytea(0, '')",
  "select pg_logical_emit_message(false, 'mine', 'text')",
  "select pg_logical_emit_message(false, 'mine', '\\x00'::bytea)",
  'select pg_terminate_backend(pid) from pg_stat_activity where usesysid = 10 limit 1',
  "alter system set fsync = 'off'",
];

/** Service and redirector may not run these. */
const operatorsOnly = [
  'insert into campaign_mirror.campaigns (owner_id) values (1)',
  'select from campaign_mirror.mirror_history',
  "select campaign_mirror.prune_history(now() - interval '2 days', 9, 9, 'me', 'r')",
  'select campaign_mirror.delete_mirror(1)',
  'update campaign_mirror.mirrors set clicks = 0',
  'create temporary table mine (id int)',
];

/** The statements that each role is refused. */
export const refused = {
  service: [
    ...everybody,
    ...operatorsOnly,
    "insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (sha256('k'), 'k', 'k', 1)",
    'update campaign_mirror.access_keys set owner_id = 1',
    'update campaign_mirror.access_keys set expires_at = null, revoked_at = null',
    'update campaign_mirror.key_uses set used_at = now()',
    'update campaign_mirror.campaigns set owner_id = 1',
    'select target_url from campaign_mirror.mirrors',
    'select name from campaign_mirror.campaigns',
    'delete from campaign_mirror.mirrors',
    'select from campaign_mirror.operator_audit',
    "select campaign_mirror.count_clicks('{1}', '{1}')",
    set("'operator'", 'null', "'r'"),
    `select campaign_mirror.set_mirrors_as_operator('{1}', '{1}', '{f}', '{https://a.example/}', '{NULL}', '{NULL}', false,
      'mirror-set', 'me', 'r', '{}', null)`,
    'select from campaign_mirror.mirrors for update',
    'select from campaign_mirror.campaigns for key share',
    'select from campaign_mirror.access_keys for key share',
    'select from campaign_mirror.key_uses for key share',
    'begin; lock table campaign_mirror.access_keys in access share mode',
  ],
  operator: [
    ...everybody,
    set("'operator'", 'null', "'r'"),
    "select setval('campaign_mirror.operator_audit_id_seq', 1)",
    "select setval('campaign_mirror.access_keys_id_seq', 1)",
    "update campaign_mirror.access_keys set hash = sha256('mine')",
    'update campaign_mirror.access_keys set owner_id = 1',
    'delete from campaign_mirror.access_keys',
    'delete from campaign_mirror.mirrors',
    `insert into campaign_mirror.mirrors (campaign_id, target_url, last_change_id) values (1, 'https://a.example/', 1)`,
    'update campaign_mirror.key_uses set used_at = now()',
  ],
  redirector: [
    ...everybody,
    ...operatorsOnly,
    'select hash from campaign_mirror.access_keys',
    'select owner_id from campaign_mirror.mirrors',
    'select clicks from campaign_mirror.mirrors',
    'select from campaign_mirror.current_mirrors for update',
    set("'jwt'", "'me'", "'r'"),
  ],
};

/** The SQLSTATE of the error, or `done`. */
export const codeOf = (client: pg.Client, statement: string, values?: unknown[]): Promise<string> =>
  client.query(statement, values).then(
    () => 'done',
    (error) => error.code,
  );

/** Runs each statement, and returns those that were not refused for lack of a right. */
export async function allowedOf(client: pg.Client, statements: readonly string[]) {
  const allowed: Record<string, string> = {};
  for (const statement of statements) {
    const code = await codeOf(client, statement);
    if (code !== '42501') allowed[statement] = code;
    await client.query('rollback');
  }
  return allowed;
}
