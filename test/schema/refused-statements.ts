import type pg from 'pg';

/** The call of a function that sets one mirror: what the arguments after the keys are. */
export const set = (actor: string, subject: string, request: string, name = 'set_mirrors', more = '') =>
  `select * from campaign_mirror.${name}('{1}', '{1}', '{f}', '{https://a.example/}', '{NULL}', '{NULL}',
    array[${actor}], array[${subject}], array[${request}], '{NULL}', false${more})`;

/** What none of them may, whatever else it is for; each tried with the password of each. */
const everybody: Record<string, string> = {
  'become another role': 'set role campaign_mirror_owner',
  'become one for the session': 'set session authorization campaign_mirror_owner',
  'gain a role': 'grant campaign_mirror_owner to current_user',
  'gain a power': 'alter role current_user superuser',
  'set the password of another': "alter role campaign_mirror_owner password 'mine'",
  'set the settings of another': "alter role campaign_mirror_owner set statement_timeout = '1ms'",
  'make a role': 'create role mine',
  'make a database': 'create database mine',
  'make a schema': 'create schema mine',
  'make a table in the schema': 'create table campaign_mirror.mine (id int)',
  'make a function in it': "create function campaign_mirror.mine() returns int language sql as 'select 1'",
  'replace a function':
    "create or replace function campaign_mirror.count_clicks(bigint[], bigint[]) returns setof bigint language sql as 'select 1'",
  'change a function': 'alter function campaign_mirror.set_mirrors reset all',
  'run a part of one': "select campaign_mirror.note('key-issued', null, 1, 1, '{}')",
  'set mirrors past the doors': set("'jwt'", "'me'", "'r'", 'set_each', ', 1'),
  'note the use of a key': "select campaign_mirror.note_key_uses('{1}')",
  'make a trigger':
    'create trigger mine before insert on campaign_mirror.mirrors for each row execute function suppress_redundant_updates_trigger()',
  'switch triggers off': 'alter table campaign_mirror.mirror_history disable trigger all',
  'switch them off for a session': 'set session_replication_role = replica',
  'drop a constraint': 'alter table campaign_mirror.mirrors drop constraint mirrors_pkey',
  'drop a table': 'drop table campaign_mirror.mirror_history',
  'empty a table': 'truncate campaign_mirror.mirrors',
  'alter the history': "update campaign_mirror.mirror_history set address_after = 'https://a.example/'",
  'delete from it, as if it pruned':
    "set campaign_mirror.pruning = 'on'; delete from campaign_mirror.mirror_history",
  'alter the audit': "update campaign_mirror.operator_audit set operator = 'nobody'",
  'set an address': "update campaign_mirror.mirrors set target_url = 'https://a.example/'",
  'give a mirror away': 'update campaign_mirror.mirrors set owner_id = 1',
  'say which change was the last': 'update campaign_mirror.mirrors set last_change_id = 1',
  'write history': 'insert into campaign_mirror.mirror_history (campaign_id) values (1)',
  'write an audit': "insert into campaign_mirror.operator_audit (act) values ('key-issued')",
  'turn the numbers of the history back': "select setval('campaign_mirror.mirror_history_id_seq', 1)",
  'lock a table against reading': 'begin; lock table campaign_mirror.mirrors in access exclusive mode',
  'read passwords': 'select * from pg_authid',
  'read a file': "select pg_read_file('PG_VERSION')",
  'write a file': "copy (select 1) to '/tmp/mine'",
  'run a program': "copy (select 1) to program 'true'",
  'make a large object': 'select lo_create(0)',
  'make one of bytes': "select lo_from_bytea(0, '')",
  'write WAL without bound': "select pg_logical_emit_message(false, 'mine', 'text')",
  'write bytes into it': "select pg_logical_emit_message(false, 'mine', '\\x00'::bytea)",
  'end sessions of others':
    'select pg_terminate_backend(pid) from pg_stat_activity where usesysid = 10 limit 1',
  'change the server': "alter system set fsync = 'off'",
  'add an extension': 'create extension dblink',
};

const hashes = 'select hash from campaign_mirror.access_keys';
const temporary = 'create temporary table mine (id int)';
const addition = 'insert into campaign_mirror.campaigns (owner_id) values (1)';
const own: Record<'service' | 'operator' | 'redirector', Record<string, string>> = {
  service: {
    'issue a key':
      "insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (sha256('k'), 'k', 'k', 1)",
    'give a key away': 'update campaign_mirror.access_keys set owner_id = 1',
    'make a key last': 'update campaign_mirror.access_keys set expires_at = null, revoked_at = null',
    'change when a key was used': 'update campaign_mirror.key_uses set used_at = now()',
    'make a campaign': addition,
    'give a campaign away': 'update campaign_mirror.campaigns set owner_id = 1',
    'read addresses': 'select target_url from campaign_mirror.mirrors',
    'read names': 'select name from campaign_mirror.campaigns',
    'delete a mirror': 'delete from campaign_mirror.mirrors',
    'read the history': 'select from campaign_mirror.mirror_history',
    'read the audit': 'select from campaign_mirror.operator_audit',
    'count clicks': "select campaign_mirror.count_clicks('{1}', '{1}')",
    prune: "select campaign_mirror.prune_history(now() - interval '2 days', 9, 9, 'me', 'r')",
    'delete a mirror by its function': 'select campaign_mirror.delete_mirror(1)',
    'act as the operator': set("'operator'", 'null', "'r'"),
    'act by the door of the operator':
      "select campaign_mirror.set_mirrors_as_operator('{1}', '{1}', '{f}', '{https://a.example/}', '{NULL}', '{NULL}', false, 'mirror-set', 'me', 'r', '{}', null)",
    'fill the disk': temporary,
    'set clicks': 'update campaign_mirror.mirrors set clicks = 0',
    'lock mirrors': 'select from campaign_mirror.mirrors for update',
    'lock campaigns': 'select from campaign_mirror.campaigns for key share',
    'lock keys': 'select from campaign_mirror.access_keys for key share',
    'lock what says when they were used': 'select from campaign_mirror.key_uses for key share',
    'keep an operator from altering keys':
      'begin; lock table campaign_mirror.access_keys in access share mode',
  },
  operator: {
    'act by the door of callers': set("'operator'", 'null', "'r'"),
    'turn the numbers of the audit back': "select setval('campaign_mirror.operator_audit_id_seq', 1)",
    'choose the hash of an old key': "update campaign_mirror.access_keys set hash = sha256('mine')",
    'give a key away': 'update campaign_mirror.access_keys set owner_id = 1',
    'delete a key': 'delete from campaign_mirror.access_keys',
    'delete a mirror alone': 'delete from campaign_mirror.mirrors',
    'say which change was the last, of a new one':
      "insert into campaign_mirror.mirrors (campaign_id, target_url, last_change_id) values (1, 'https://a.example/', 1)",
    'turn the numbers of keys back': "select setval('campaign_mirror.access_keys_id_seq', 1)",
    'change when a key was used': 'update campaign_mirror.key_uses set used_at = now()',
  },
  redirector: {
    'read keys': hashes,
    'read the history': 'select from campaign_mirror.mirror_history',
    'read owners': 'select owner_id from campaign_mirror.mirrors',
    'read clicks': 'select clicks from campaign_mirror.mirrors',
    'set clicks': 'update campaign_mirror.mirrors set clicks = 0',
    'lock mirrors': 'select from campaign_mirror.current_mirrors for update',
    'set as a caller': set("'jwt'", "'me'", "'r'"),
    'make a campaign': addition,
    prune: "select campaign_mirror.prune_history(now() - interval '2 days', 9, 9, 'me', 'r')",
    'delete a mirror by its function': 'select campaign_mirror.delete_mirror(1)',
    'fill the disk': temporary,
  },
};

/** What each of them is refused, by what it would do. */
export const refused = {
  service: { ...everybody, ...own.service },
  operator: { ...everybody, ...own.operator },
  redirector: { ...everybody, ...own.redirector },
};

/** The SQLSTATE with which a statement fails, or `done`. */
export const codeOf = (client: pg.Client, statement: string): Promise<string> =>
  client.query(statement).then(
    () => 'done',
    (error) => error.code,
  );

/** The statements of a list that are not refused for want of a right, and what came of each. Nothing stays done. */
export async function allowedOf(client: pg.Client, statements: Readonly<Record<string, string>>) {
  const allowed: Record<string, string> = {};
  for (const [what, statement] of Object.entries(statements)) {
    const code = await codeOf(client, statement);
    if (code !== '42501') allowed[what] = code;
    await client.query('rollback');
  }
  return allowed;
}
