import { connect as connectTo } from 'node:net';
import { isDatabaseAway, openDatabase } from '@campaign-mirror/adapters-persistence';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { emptyDatabase } from '../support/database/database-server.ts';
import { rejection } from '../support/faults.ts';

describe('contract: answers — which faults of the driver are a database that is away', () => {
  const away = {
    'connection exception': ['08000', '08001', '08003', '08006', '08P01'],
    'we are not known': ['28000', '28P01', '3D000'],
    'insufficient resources': ['53000', '53100', '53200', '53300', '53400'],
    'operator intervention': ['57000', '57014', '57P01', '57P02', '57P03', '57P04', '57P05'],
    'system error': ['58000', '58030', '58P01'],
    'read-only, locked, not in the state for it': ['25006', '55P03', '55000'],
    'a transaction that took too long': ['25P03', '25P04'],
    'ended for the sake of another transaction': ['40001', '40P01'],
  };
  for (const [what, codes] of Object.entries(away)) {
    it(`${what}: ${codes.join(', ')}`, () => {
      for (const code of codes) expect(isDatabaseAway(sqlFault(code)), code).to.equal(true);
    });
  }

  it("a socket's, the resolver's and TLS's own codes", () => {
    const codes = [
      'ECONNREFUSED',
      'ECONNRESET',
      'EPIPE',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'ENOENT',
      'ENOTFOUND',
      'EAI_AGAIN',
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ];
    for (const code of codes) {
      const fault = Object.assign(new Error(code), { code, syscall: 'connect', errno: -1 });
      expect(isDatabaseAway(fault), code).to.equal(true);
    }
  });

  it('real ones of the platform: a refused connection, a name that there is not', async () => {
    const refused = await new Promise((resolve) => connectTo(1, '127.0.0.1').once('error', resolve));
    expect(isDatabaseAway(refused)).to.equal(true);
    const client = new pg.Client({ host: 'no-such-host.invalid', connectionTimeoutMillis: 10_000 });
    expect(isDatabaseAway(await rejection(client.connect()))).to.equal(true);
  });

  it('what the driver says without a code: a connection that ended, an answer that did not come', () => {
    expect(isDatabaseAway(new Error('Connection terminated unexpectedly'))).to.equal(true);
    expect(isDatabaseAway(new Error('Query read timeout'))).to.equal(true);
    expect(isDatabaseAway(new AggregateError([new Error('connect')], 'both addresses'))).to.equal(true);
  });

  it('no fault of ours: what the statement or the rights are wrong about', () => {
    for (const code of [
      '22P02',
      '23505',
      '23514',
      '42501',
      '42601',
      '42703',
      '42P01',
      '42P05',
      '0A000',
      'XX000',
    ]) {
      expect(isDatabaseAway(sqlFault(code)), code).to.equal(false);
    }
  });

  it('no fault of ours: mistakes in the code, with and without a code', () => {
    const coded = (error: Error) => Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' });
    for (const error of [
      new TypeError('x'),
      new RangeError('x'),
      coded(new TypeError('x')),
      coded(new RangeError('x')),
    ]) {
      expect(isDatabaseAway(error), String(error)).to.equal(false);
    }
    for (const thing of ['a text', { code: '57P01' }, undefined, null, 42]) {
      expect(isDatabaseAway(thing)).to.equal(false);
    }
  });

  it('by a real server: a statement that it does not understand is no absence of it', async () => {
    const database = await emptyDatabase('owner');
    const { pool, close } = await openDatabase(database.address('service'));
    const wrong = new Statements(pool).run({ name: 'wrong', text: 'select from nothing_there' }, []);
    expect(await rejection(wrong))
      .to.have.property('code', '42P01')
      .and.not.to.be.instanceOf(Unavailable);
    await close();
    await database.drop();
  });
});

describe('contract: atomicity — a transaction that PostgreSQL ended for the sake of another', () => {
  for (const code of ['40001', '40P01']) {
    it(`${code}: is run once more, and its answer is the answer`, async () => {
      const pool = new Answers(sqlFault(code), [{ answer: 42 }]);
      expect(await pool.run()).to.deep.equal([{ answer: 42 }]);
      expect(pool.asked).to.equal(2);
    });

    it(`${code}: twice is Unavailable, and there is no third time`, async () => {
      const pool = new Answers(sqlFault(code), sqlFault(code), []);
      expect(await rejection(pool.run())).to.be.instanceOf(Unavailable);
      expect(pool.asked).to.equal(2);
    });
  }

  it('any other fault is not run again: the outcome is unknown', async () => {
    const cut = new Error('Connection terminated unexpectedly');
    for (const fault of [sqlFault('57P01'), sqlFault('57014'), sqlFault('53300'), cut]) {
      const pool = new Answers(fault, []);
      const met = await rejection(pool.run());
      expect(met).to.be.instanceOf(Unavailable).and.to.have.property('cause', fault);
      expect(pool.asked).to.equal(1);
    }
  });

  it('a fault of ours at the second time is told as it is', async () => {
    const ours = sqlFault('42501');
    expect(await rejection(new Answers(sqlFault('40001'), ours).run())).to.equal(ours);
  });
});

function sqlFault(code: string): Error {
  return Object.assign(new pg.DatabaseError(code, 1, 'error'), { code });
}

/** A pool that answers what it is told to, in order. */
class Answers {
  asked = 0;
  readonly #answers: (Error | object[])[];

  constructor(...answers: (Error | object[])[]) {
    this.#answers = answers;
  }

  run(): Promise<object[]> {
    const pool = { query: () => this.#next() } as unknown as pg.Pool;
    return new Statements(pool).run({ name: 'any', text: 'select' }, []);
  }

  async #next(): Promise<{ rows: object[] }> {
    const answer = this.#answers[this.asked];
    this.asked += 1;
    if (answer instanceof Error) throw answer;
    if (!answer) throw new Error('asked too often');
    return { rows: answer };
  }
}
