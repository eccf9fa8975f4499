import type { Role } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { call } from '../support/http/caller.ts';
import { groupedOf, serviceDataOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { allowedOf, codeOf, refused, set } from './refused-statements.ts';

const [unfit, notNow] = ['23514', '55000'];

const lines = ['a\nb', 'a\r', '\u2028a', 'a\u0085', '', 'x'.repeat(201), '\u001b[2J'];
const literal = (text: string) => `'${text}'`;

/** An element that `set_mirrors` takes, and what it refuses in place of its texts. */
const fitting = { address: 'https://a.example/', actor: 'jwt', subject: 'me', request: 'r', none: null };
const misleading = {
  address: ['', null, 'ftp://a.example/', 'https://a.example/ b', 'https://a.example/'.padEnd(2049, 'x')],
  actor: [
    ...['', null, 'operator ', 'Operator', 'key:17', 'jwt\n', 'ключ', 'jwt:4', 'a b', 'a'.repeat(21)],
    // Of a key, without one; and that of the other door.
    ...['key', 'operator'],
  ],
  subject: [...lines, null],
  request: ['', null, 'a b', 'a\n', 'é', 'x'.repeat(129)],
};

/** What `set_mirrors_as_operator` takes, as SQL. */
const moving = {
  campaigns: "'{1}'",
  owners: "'{NULL}'",
  defaults: "'{NULL}'",
  addresses: "'{https://a.example/}'",
  expected: "'{NULL}'",
  lastChanges: "'{NULL}'",
  waits: 'false',
  act: "'mirrors-moved'",
  operator: "'me'",
  request: "'r'",
  details: "'{}'",
  partOf: 'null',
};
const otherAct = "select max(id) as id from campaign_mirror.operator_audit where act <> 'mirrors-moved'";

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

  it('a position that a redirector makes up gives it all earlier addresses, as the security model says', async () => {
    const { rows } = await service.database.admin.query('select id from campaign_mirror.mirror_history');
    expect(rows).not.to.deep.equal([]);
    const client = await connect(service.database.address('redirector'));
    const read = await client.query(`select change_id as id from campaign_mirror.changes_since((
      select split_part(position, '/', 1) || '/primary/3:3:' from campaign_mirror.changes_since(null)))`);
    await client.end();
    expect(read.rows).to.have.deep.members(rows);
  });

  it('no text of any element of a change can mislead a reader of the history', async () => {
    const lives = await service.live(3);
    const client = await connect(service.database.address('service'));
    const statement = `select campaign_mirror.set_mirrors($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false)`;
    const [count, places] = [lives.length, [...lives.keys()]];
    for (const [what, texts] of Object.entries(misleading) as [keyof typeof fitting, (string | null)[]][])
      for (const text of texts)
        for (const place of places)
          for (const given of new Set([place + 1, count])) {
            const of = (one: keyof typeof fitting) =>
              Array.from({ length: given }, (_, at) => (one === what && at === place ? text : fitting[one]));
            const none = of('none');
            const ids = lives.slice(0, given).map(({ seen }) => seen.id);
            const values = [
              ids,
              none,
              none,
              of('address'),
              none,
              none,
              of('actor'),
              of('subject'),
              of('request'),
              none,
            ];
            const code = await client.query(statement, values).then(
              () => 'done',
              (error) => error.code,
            );
            expect(code, `${what} ${place + 1} of ${given}: ${text?.slice(0, 40)}`).to.equal(
              text === 'operator' ? '42501' : unfit,
            );
          }
    await client.end();
    for (const { seen } of lives) expect(await service.world.others.history(seen.id)).to.deep.equal([]);
  });

  /** A move of one mirror by psql. */
  const move = (id: number, given: Partial<Record<keyof typeof moving, string>> = {}) => {
    const parameters = Object.values({ ...moving, campaigns: `'{${id}}'`, ...given });
    return `select entry from campaign_mirror.set_mirrors_as_operator(${parameters.join(', ')})`;
  };

  it('no record of an act or a move can mislead a reader, or keep it from being read', async () => {
    const { id } = (await service.campaign()).seen;
    const details = ["'[]'", `'"text"'`, "'17'", "'true'", "'null'"];
    const key =
      "insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (sha256('p'), 'p', 'p', 1)";
    const names = [...lines, ' me', 'me '].map((name) => literal(name));
    const statements = [
      ...[...details, `jsonb_build_object('a', repeat('x', 100000))`].map((one) =>
        move(id, { details: one }),
      ),
      ...names.map((operator) => move(id, { operator })),
      ...["''", "'a b'", "'é'"].map((request) => move(id, { request })),
      ...["'ftp://a.example/'", "''", 'null'].map((one) => move(id, { addresses: `array[${one}]` })),
      ...details.slice(0, 4).map((one) => `set campaign_mirror.details = ${one}; ${key}`),
      `set campaign_mirror.operator = E'a\\nb'; ${key}`,
      `set campaign_mirror.request_id = 'a b'; ${key}`,
    ];
    const client = await connect(service.database.address('operator'));
    for (const statement of statements) {
      expect(await codeOf(client, statement), statement.slice(0, 400)).to.equal(unfit);
      await client.query('reset all');
    }
    expect(await service.world.others.history(id)).to.deep.equal([]);

    // The highest number of PostgreSQL, which no reader of JSON keeps, for each number that a caller may give.
    const [most, all] = ["'{9223372036854775807}'", '9223372036854775807'];
    for (const given of [{ campaigns: most }, { owners: most }, { lastChanges: most }, { partOf: all }])
      await codeOf(client, move(id, given));
    await client.query(move(id, { details: `'{"mirrors": ${all}, "from": 1e400}'` }));
    expect(await codeOf(client, `update campaign_mirror.access_keys set replaced_by = ${all}`)).to.equal(
      unfit,
    );
    await client.end();
    const on = commandsOn(service.database);
    for (const line of ['audit', `mirror history ${id}`, 'key list', 'campaign list'])
      expect((await on.run(line)).code, line).to.equal(0);
  });

  it('an act of the operator that sets one mirror sets no other; what sets none sets none', async () => {
    const client = await connect(service.database.address('operator'));
    for (const [act, campaigns] of [
      ["'mirror-set'", "'{1,1}'"],
      ["'mirror-restored'", "'{1,1}'"],
      ["'campaign-created'", "'{1}'"],
    ] as const)
      expect(await codeOf(client, move(1, { campaigns, act })), act).to.equal('22023');
    await client.end();
  });

  it('an entry names the owner of the changes if the caller named him', async () => {
    const { id, ownerId } = (await service.campaign()).seen;
    const client = await connect(service.database.address('operator'));
    for (const [owners, owner] of [
      [`'{${ownerId}}'`, ownerId],
      ["'{NULL}'", null],
    ] as const) {
      await client.query(move(id, { owners }));
      expect((await service.world.audit.list({ limit: 1 }))[0]).to.include({ ownerId: owner });
    }
    await client.end();
  });

  it('a part belongs to a move, not to another part; a statement that waits is for one campaign', async () => {
    const { id } = (await service.campaign()).seen;
    const client = await connect(service.database.address('operator'));
    const before = await service.world.audit.list({ limit: 1 });
    await client.query(move(id, { owners: "'{1}'" }));
    expect(await service.world.audit.list({ limit: 1 }), 'nothing was set').to.deep.equal(before);
    const first = (await client.query(move(id))).rows[0].entry;
    const part = (await client.query(move(id, { partOf: first }))).rows[0].entry;
    const [{ id: act }] = (await client.query(otherAct)).rows;
    for (const partOf of [part, act, '4711'])
      expect(await codeOf(client, move(id, { partOf }))).to.equal('22023');
    expect(await codeOf(client, move(id, { campaigns: `'{${id},${id}}'`, waits: 'true' }))).to.equal('22023');
    await client.end();
  });

  it('no mirror is set in a transaction that would judge a key as it was when it began', async () => {
    const client = await connect(service.database.address('service'));
    for (const level of ['repeatable read', 'serializable']) {
      const fault = await client
        .query(`begin isolation level ${level}; ${set("'jwt'", "'me'", "'r'")}`)
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
