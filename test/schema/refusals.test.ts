import type { Role } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { call } from '../support/http/caller.ts';
import { groupedOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { allowedOf, codeOf, refused, set } from './refused-statements.ts';

const [unfit, notNow] = ['23514', '55000'];

describe('contract: the data around it — what nobody may with the password of a role, and psql', () => {
  const service = groupedOf('suite');
  before(async () => {
    // As ops/roles.sql does.
    const { admin, name } = service.database;
    await admin.query(`revoke temporary on database ${name} from public`);
    const live = await service.campaign();
    await service.set(live, 'https://a.example/');
  });

  for (const [role, statements] of Object.entries(refused))
    it(`${role}: ${Object.keys(statements).length} statements are refused, and nothing is done`, async () => {
      const client = await connect(service.database.address(role as Role));
      expect(await allowedOf(client, statements).finally(() => client.end())).to.deep.equal({});
    });

  it('what PostgreSQL lets every role do to itself, as the security model says', async () => {
    const statements = [
      "alter role current_user set work_mem = '1MB'",
      "alter role current_user password 'another'",
      'select pg_advisory_xact_lock(1)',
      'select pg_sleep(0)',
      'select usename from pg_stat_activity',
    ];
    for (const role of Object.keys(refused) as Role[]) {
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
