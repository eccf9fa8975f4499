import { connect as connectTo } from 'node:net';
import { isDatabaseAway, openDatabase } from '@campaign-mirror/adapters-persistence';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { rejection } from '../support/faults.ts';
import { databaseOf } from '../support/process/lives.ts';

const sqlFault = (code: string) => Object.assign(new pg.DatabaseError(code, 1, 'error'), { code });
const systemFault = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect', errno: -1 });
const coded = (error: Error) => Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' });
const all = (make: (code: string) => unknown, codes: string) => codes.split(' ').map(make);

const faults: readonly (readonly [what: string, isAway: boolean, faults: readonly unknown[]])[] = [
  ['connection exception', true, all(sqlFault, '08000 08001 08003 08006 08P01')],
  ['we are not known', true, all(sqlFault, '28000 28P01 3D000')],
  ['insufficient resources', true, all(sqlFault, '53000 53100 53200 53300 53400')],
  ['operator intervention', true, all(sqlFault, '57000 57014 57P01 57P02 57P03 57P04 57P05')],
  ['system error', true, all(sqlFault, '58000 58030 58P01')],
  ['read-only, locked, not in the state for it', true, all(sqlFault, '25006 55P03 55000')],
  ['a transaction that took too long', true, all(sqlFault, '25P03 25P04')],
  ['ended for the sake of another transaction', true, all(sqlFault, '40001 40P01')],
  [
    "a socket's, the resolver's and TLS's own",
    true,
    all(
      systemFault,
      'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENOENT ENOTFOUND EAI_AGAIN',
    ).concat(all(systemFault, 'CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID')),
  ],
  [
    'the driver, without a code: a connection that ended, an answer that did not come',
    true,
    [
      new Error('Connection terminated unexpectedly'),
      new Error('Query read timeout'),
      new AggregateError([new Error('connect')], 'both addresses'),
    ],
  ],
  [
    'what the statement or the rights are wrong about',
    false,
    all(sqlFault, '22P02 23505 23514 42501 42601 42703 42P01 42P05 0A000 XX000'),
  ],
  [
    'mistakes in the code, with and without a code',
    false,
    [new TypeError('x'), new RangeError('x'), coded(new TypeError('x')), coded(new RangeError('x'))],
  ],
  ['what is no error', false, ['a text', { code: '57P01' }, undefined, null, 42]],
];

describe('contract: answers — which faults of the driver are a database that is away', () => {
  const database = databaseOf('suite');

  for (const [what, isAway, examples] of faults)
    it(`${what}: ${isAway ? 'yes' : 'no'}`, () => {
      for (const fault of examples) expect(isDatabaseAway(fault), String(fault)).to.equal(isAway);
    });

  it('real ones: a refused connection, a name that there is not, and a statement that is not understood', async () => {
    const refused = await new Promise((resolve) => connectTo(1, '127.0.0.1').once('error', resolve));
    expect(isDatabaseAway(refused)).to.equal(true);
    const client = new pg.Client({ host: 'no-such-host.invalid', connectionTimeoutMillis: 10_000 });
    expect(isDatabaseAway(await rejection(client.connect()))).to.equal(true);
    const { pool, close } = await openDatabase(database.address('service'));
    const wrong = new Statements(pool).run({ name: 'wrong', text: 'select from nothing_there' }, []);
    expect(await rejection(wrong)).to.have.property('code', '42P01');
    await close();
  });
});

describe('contract: atomicity — a transaction that PostgreSQL ended for the sake of another', () => {
  /** What a statement comes to on a pool that answers so, and how often it asked. */
  async function asked(...answers: (Error | object[])[]) {
    let times = 0;
    const query = async () => {
      const answer = answers[times++];
      if (answer instanceof Error) throw answer;
      return { rows: answer };
    };
    const statements = new Statements({ query } as unknown as pg.Pool);
    const come = await statements.run({ name: 'any', text: 'select' }, []).catch((error: unknown) => error);
    return { come, times };
  }

  it('is run once more, whose answer or fault is the answer, and no third time', async () => {
    for (const code of ['40001', '40P01']) {
      const answer = [{ answer: 42 }];
      expect(await asked(sqlFault(code), answer)).to.deep.equal({ come: answer, times: 2 });
      const twice = await asked(sqlFault(code), sqlFault(code), []);
      expect(twice.come).to.be.instanceOf(Unavailable);
      expect(twice.times).to.equal(2);
    }
    const ours = sqlFault('42501');
    expect((await asked(sqlFault('40001'), ours)).come).to.equal(ours);
  });

  it('any other fault is not run again: the outcome is unknown', async () => {
    const cut = new Error('Connection terminated unexpectedly');
    for (const fault of [sqlFault('57P01'), sqlFault('57014'), sqlFault('53300'), cut]) {
      const { come, times } = await asked(fault, []);
      expect(come).to.be.instanceOf(Unavailable).and.to.have.property('cause', fault);
      expect(times).to.equal(1);
    }
  });
});
