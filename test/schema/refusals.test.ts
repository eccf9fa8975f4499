import type { Role } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type pg from 'pg';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { call } from '../support/http/caller.ts';
import { groupedOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';

const [noRight, unfit, notNow] = ['42501', '23514', '55000'];

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
  'change a function': 'alter function campaign_mirror.set_mirrors_if reset all',
  'run a part of one': "select campaign_mirror.note('key-issued', null, 1, 1, '{}')",
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
  'end sessions of others':
    'select pg_terminate_backend(pid) from pg_stat_activity where usesysid = 10 limit 1',
  'change the server': "alter system set fsync = 'off'",
  'add an extension': 'create extension dblink',
};

const set = (name: string, actor: string, subject: string, request: string, last = 'null, false') =>
  `select * from campaign_mirror.${name}('{1}', '{1}', '{f}', '{https://a.example/}', '{NULL}', '{NULL}',
    array[${actor}], array[${subject}], array[${request}], ${last})`;
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
    'act as the operator': set('set_mirrors_if', "'operator'", 'null', "'r'"),
    'set with an entry of its choice': set(
      'set_mirrors_with_entry',
      "'jwt'",
      "'me'",
      "'r'",
      'null, false, 1',
    ),
    'allow a host again': 'delete from campaign_mirror.denied_hosts',
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
    'act as a service': set('set_mirrors_if', "'operator'", 'null', "'r'"),
    'turn the numbers of the audit back': "select setval('campaign_mirror.operator_audit_id_seq', 1)",
    'choose the hash of an old key': "update campaign_mirror.access_keys set hash = sha256('mine')",
    'give a key away': 'update campaign_mirror.access_keys set owner_id = 1',
    'delete a key': 'delete from campaign_mirror.access_keys',
    'delete a mirror alone': 'delete from campaign_mirror.mirrors',
    'say which change was the last, of a new one':
      "insert into campaign_mirror.mirrors (campaign_id, target_url, last_change_id) values (1, 'https://a.example/', 1)",
    'set with an entry of its choice': set(
      'set_mirrors_with_entry',
      "'jwt'",
      "'me'",
      "'r'",
      'null, false, 1',
    ),
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
    'set as a caller': set('set_mirrors_if', "'jwt'", "'me'", "'r'"),
    'make a campaign': addition,
    'note the use of a key': "select campaign_mirror.note_key_uses('{1}')",
    prune: "select campaign_mirror.prune_history(now() - interval '2 days', 9, 9, 'me', 'r')",
    'fill the disk': temporary,
  },
};

describe('contract: the data around it — what nobody may with the password of a role, and psql', () => {
  const service = groupedOf('suite');
  before(async () => {
    // As `roles create` does.
    const { admin, name } = service.database;
    await admin.query(`revoke temporary on database ${name} from public`);
    const live = await service.campaign();
    await service.set(live, 'https://a.example/');
  });

  const codeOf = (client: pg.Client, statement: string) =>
    client.query(statement).then(
      () => 'done',
      (error) => error.code,
    );

  for (const [role, its] of Object.entries(own))
    it(`${role}: ${Object.keys({ ...everybody, ...its }).length} statements are refused, and nothing is done`, async () => {
      const client = await connect(service.database.address(role as Role));
      const codes: Record<string, string> = {};
      for (const [what, statement] of Object.entries({ ...everybody, ...its })) {
        codes[what] = await codeOf(client, statement);
        await client.query('rollback');
      }
      await client.end();
      const expected = Object.keys(codes).map((what) => [what, noRight]);
      expect(codes).to.deep.equal(Object.fromEntries(expected));
    });

  it('what PostgreSQL lets every role do to itself, as the security model says', async () => {
    const statements = [
      "alter role current_user set work_mem = '1MB'",
      "alter role current_user password 'another'",
      'select pg_advisory_xact_lock(1)',
      'select pg_sleep(0)',
      'select usename from pg_stat_activity',
    ];
    for (const role of Object.keys(own) as Role[]) {
      const client = await connect(service.database.address(role));
      // Roles belong to the server of all tests.
      expect(await codeOf(client, ['begin', ...statements, 'rollback'].join('; '))).to.equal('done');
      await client.end();
    }
  });

  it('no record of a change, an act or a move can mislead a reader, or keep it from being read', async () => {
    const { ownerId, id } = (await service.campaign()).seen;
    const mine = (actor: string, subject = "'me'", request = "'r'") =>
      set('set_mirrors_if', actor, subject, request).replace("'{1}', '{1}'", `'{${id}}', '{${ownerId}}'`);
    const lines = [
      "e'a\\nb'",
      "e'a\\r'",
      "e'\\u2028a'",
      "e'a\\u0085'",
      "''",
      "repeat('x', 201)",
      "e'\\u001b[2J'",
    ];
    const byService = [
      ...["'operator '", "'Operator'", "''", "'key:17'", "e'jwt\\n'", "'ключ'", "'jwt:4'"].map((actor) =>
        mine(actor),
      ),
      mine("'key'"),
      ...lines.map((subject) => mine("'jwt'", subject)),
      ...["''", "'a b'", "e'a\\n'", "'é'", "repeat('x', 129)"].map((request) =>
        mine("'jwt'", "'me'", request),
      ),
    ];
    const act = (details: string, who = "'me'", request = "'r'") =>
      `select * from campaign_mirror.set_mirrors_as_operator_if('{${id}}', '{NULL}', '{NULL}', '{https://a.example/}', '{NULL}', null, false,
        'mirrors-moved', ${who}, ${request}, null, ${details}, null)`;
    const details = ['[]', '"text"', '17', 'true', 'null'];
    const key =
      "insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (sha256('p'), 'p', 'p', 1)";
    const byOperator = [
      ...details.map((one) => act(`'${one}'`)),
      act(`jsonb_build_object('a', repeat('x', 100000))`),
      ...[...lines, "' me'", "'me '"].map((who) => act("'{}'", who)),
      ...["''", "'a b'", "'é'"].map((request) => act("'{}'", "'me'", request)),
      ...details.slice(0, 4).map((one) => `set campaign_mirror.details = '${one}'; ${key}`),
      `set campaign_mirror.operator = E'a\\nb'; ${key}`,
      `set campaign_mirror.request_id = 'a b'; ${key}`,
    ];
    for (const [role, statements] of Object.entries({ service: byService, operator: byOperator })) {
      const client = await connect(service.database.address(role as Role));
      for (const statement of statements) {
        expect(await codeOf(client, statement), statement.slice(0, 400)).to.equal(unfit);
        await client.query('reset all');
      }
      await client.end();
    }
    const continued = act("'{}'").replace(/null\)$/, '(select max(id) from campaign_mirror.operator_audit))');
    const operator = await connect(service.database.address('operator'));
    expect(await codeOf(operator, continued), 'what is no move has no further part').to.equal('22023');
    await operator.end();
    expect((await commandsOn(service.database).run('audit')).code).to.equal(0);
    expect(await service.world.others.history(id)).to.deep.equal([]);
  });

  it('an act of the operator that sets one mirror sets no other; what sets none sets none', async () => {
    const client = await connect(service.database.address('operator'));
    for (const [act, many] of [
      ['mirror-set', 2],
      ['mirror-restored', 2],
      ['campaign-created', 1],
    ] as const) {
      const array = (of: string) => `'{${Array(many).fill(of)}}'`;
      const setting = `select * from campaign_mirror.set_mirrors_as_operator_if(${array('1')}, ${array('NULL')}, ${array('NULL')},
        ${array('https://a.example/')}, ${array('NULL')}, null, false, '${act}', 'me', 'r', null, '{}', null)`;
      expect(await codeOf(client, setting), act).to.equal('22023');
    }
    await client.end();
  });

  it('a part belongs to a move, not to another part; a statement that waits is for one campaign', async () => {
    const { id } = (await service.campaign()).seen;
    const client = await connect(service.database.address('operator'));
    const move = (to: string, partOf: string) =>
      `select entry from campaign_mirror.set_mirrors_as_operator_if('{${id}}', '{NULL}', '{NULL}', '{https://${to}.example/}',
        '{NULL}', null, false, 'mirrors-moved', 'me', 'r', null, '{}', ${partOf})`;
    const before = await service.world.audit.list({ limit: 1 });
    await client.query(move('b', 'null').replace('{NULL}', '{1}'));
    expect(await service.world.audit.list({ limit: 1 }), 'nothing was set').to.deep.equal(before);
    const first = (await client.query(move('b', 'null'))).rows[0].entry;
    const part = (await client.query(move('c', first))).rows[0].entry;
    for (const none of [part, '4711']) expect(await codeOf(client, move('d', none))).to.equal('22023');
    const waiting = move('d', 'null')
      .replace(`{${id}}`, `{${id},${id}}`)
      .replaceAll('{NULL}', '{NULL,NULL}')
      .replace('example/', 'example/,https://e.example/')
      .replace('false', 'true');
    expect(await codeOf(client, waiting)).to.equal('22023');
    await client.end();
  });

  it('at most 100,000 hosts can be denied', async () => {
    const client = await connect(service.database.address('service'));
    const deny = (hosts: number) =>
      `select campaign_mirror.deny_hosts(array_agg(n || '.example')) from generate_series(1, ${hosts}) as n`;
    expect(await codeOf(client, deny(100_001))).to.equal('54000');
    expect(await codeOf(client, deny(100_000))).to.equal('done');
    await client.end();
  });

  it('no mirror is set in a transaction that would judge a key as it was when it began', async () => {
    const client = await connect(service.database.address('service'));
    for (const level of ['repeatable read', 'serializable']) {
      const fault = await client
        .query(`begin isolation level ${level}; ${set('set_mirrors_if', "'jwt'", "'me'", "'r'")}`)
        .catch((error) => error);
      expect(fault).to.include({
        code: notNow,
        message: `mirrors are set at READ COMMITTED only, and this transaction is ${level}`,
      });
      expect(fault.hint).to.match(/alter role … set default_transaction_isolation = 'read committed'/);
      await client.query('rollback');
    }
    await client.end();
  });
});

describe('a service behind a pooler, whose role has another isolation level by default', () => {
  const data = serviceDataOf('suite');

  it('answers 503 to each update, and sets nothing', async () => {
    const { admin, name } = data.database;
    await admin.query(
      `alter role campaign_mirror_service in database ${name} set default_transaction_isolation = 'repeatable read'`,
    );
    const { base } = await listeningService(data.settings({ DATABASE_POOLER: 'transaction' }));
    for (let time = 0; time < 2; time++) expect((await call(data.one({ base }))).status).to.equal(503);
    expect(await data.recorded()).to.deep.equal([]);
  });
});
