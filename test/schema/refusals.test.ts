import type { Role } from '@campaign-mirror/adapters-persistence/service';
import { expect } from 'chai';
import type { Client } from 'pg';
import { connect } from '../support/database/client.ts';
import { groupedOf } from '../support/process/lives.ts';
import { allowedOf, codeOf, refused, set } from './refused-statements.ts';

const [unfit, notNow] = ['23514', '55000'];

const lines = ['a\nb', 'a\r', '\u2028a', 'a\u0085', '', 'x'.repeat(201), '\u001b[2J'];

/** Valid arguments of `set_mirrors`, and invalid ones. */
const valid = { address: 'https://a.example/', actor: 'jwt', subject: 'me', request: 'r', none: null };
const invalid = {
  address: ['', null, 'ftp://a.example/', 'https://a.example/ b'],
  // A key without a number; the operator has a function of its own.
  actor: ['', null, 'Operator', 'key:17', 'jwt\n', 'ключ', 'a b', 'a'.repeat(21), 'key', 'operator'],
  subject: [...lines, null],
  request: ['', null, 'a b', 'a\n', 'é', 'x'.repeat(129)],
};

/** Arguments of `set_mirrors_as_operator`, as SQL. */
const moving = {
  ...{ campaigns: "'{1}'", owners: "'{NULL}'", defaults: "'{NULL}'", addresses: "'{https://a.example/}'" },
  ...{ expected: "'{NULL}'", lastChanges: "'{NULL}'", waits: 'false', act: "'mirrors-moved'" },
  ...{ operator: "'me'", request: "'r'", details: "'{}'", partOf: 'null' },
};

describe('contract: the data around it — the password of a role gives no more than its rights', () => {
  const service = groupedOf('suite');
  before(async () => {
    // As ops/roles.sql does.
    const { admin, name } = service.database;
    await admin.query(`revoke temporary on database ${name} from public`);
    await service.set(await service.campaign(), 'https://a.example/');
  });
  const withClient = async (role: Role, act: (client: Client) => Promise<void>) => {
    const client = await connect(service.database.address(role));
    await act(client).finally(() => client.end());
  };

  for (const [role, statements] of Object.entries(refused))
    it(`the ${role} is refused ${statements.length} statements`, () =>
      withClient(role as Role, async (client) => {
        expect(await allowedOf(client, statements)).to.deep.equal({});
      }));

  it('the service cannot write a text that deceives a reader of the history, in any element of a batch', () =>
    withClient('service', async (client) => {
      const lives = await service.live(3);
      const ids = lives.map(({ seen }) => seen.id);
      const statement = 'select campaign_mirror.set_mirrors($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, false)';
      for (const [what, texts] of Object.entries(invalid) as [keyof typeof valid, (string | null)[]][])
        for (const text of texts)
          for (const place of ids.keys()) {
            const of = (one: keyof typeof valid) =>
              ids.map((_, at) => (one === what && at === place ? text : valid[one]));
            const names = ['none', 'address', 'actor', 'subject', 'request'] as const;
            const [none, address, actor, subject, request] = names.map(of);
            const values = [ids, none, none, address, none, none, actor, subject, request, none];
            const code = await codeOf(client, statement, values);
            const expected = text === 'operator' ? '42501' : unfit;
            expect(code, `${what} ${place + 1}: ${text?.slice(0, 40)}`).to.equal(expected);
          }
      expect(await service.history(...lives)).to.deep.equal([]);
    }));

  const move = (id: number, given: Partial<Record<keyof typeof moving, string>> = {}) => {
    const parameters = Object.values({ ...moving, campaigns: `'{${id}}'`, ...given });
    return `select entry from campaign_mirror.set_mirrors_as_operator(${parameters.join(', ')})`;
  };

  it('the operator cannot write an entry of the audit that deceives a reader', () =>
    withClient('operator', async (client) => {
      const { id } = (await service.campaign()).seen;
      const details = ["'[]'", `'"text"'`, "'17'", "'true'"];
      const key =
        "insert into campaign_mirror.access_keys (hash, displayed, name, owner_id) values (sha256('p'), 'p', 'p', 1)";
      const statements = [
        ...[...details, `jsonb_build_object('a', repeat('x', 100000))`].map((one) =>
          move(id, { details: one }),
        ),
        ...[...lines, ' me', 'me '].map((operator) => move(id, { operator: `'${operator}'` })),
        ...["''", "'a b'", "'é'"].map((request) => move(id, { request })),
        ...["'ftp://a.example/'", "''", 'null'].map((one) => move(id, { addresses: `array[${one}]` })),
        ...details.map((one) => `set campaign_mirror.details = ${one}; ${key}`),
        `set campaign_mirror.operator = E'a\\nb'; ${key}`,
        `set campaign_mirror.request_id = 'a b'; ${key}`,
      ];
      for (const statement of statements) {
        expect(await codeOf(client, statement), statement.slice(0, 400)).to.equal(unfit);
        await client.query('reset all');
      }
      expect(await service.world.others.history(id)).to.deep.equal([]);
    }));

  it('a transaction with a snapshot of its own sets no mirror, since it would miss a revocation', () =>
    withClient('service', async (client) => {
      for (const level of ['repeatable read', 'serializable']) {
        const statement = `begin isolation level ${level}; ${set("'jwt'", "'me'", "'r'")}`;
        const fault = await client.query(statement).catch((error) => error);
        expect(fault.code).to.equal(notNow);
        expect(fault.message).to.equal(
          `mirrors are set at READ COMMITTED only, and this transaction is ${level}`,
        );
        await client.query('rollback');
      }
    }));
});
