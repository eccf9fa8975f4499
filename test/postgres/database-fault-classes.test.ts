import { isDatabaseAway } from '@campaign-mirror/adapters-persistence';
import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { clearFault } from '../../packages/app/src/database/database-advice.ts';

const sqlFault = (code: string) => Object.assign(new pg.DatabaseError('error', 1, 'error'), { code });
const systemFault = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect', errno: -1 });
const all = (make: (code: string) => unknown, codes: string) => codes.split(' ').map(make);

const away = [
  ...all(sqlFault, '08000 08006 28000 28P01 3D000 53100 53200 53300 57014 57P01 57P02 57P03 58030'),
  ...all(sqlFault, '25006 25P03 25P04 40001 40P01 55000 55P03'),
  ...all(systemFault, 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOENT EAI_AGAIN CERT_HAS_EXPIRED'),
  Object.assign(new pg.DatabaseError('23505', 1, 'error'), { code: '23505', constraint: 'campaigns_pkey' }),
  // The driver's own, without a code.
  new Error('Connection terminated unexpectedly'),
  new AggregateError([new Error('connect')], 'both addresses'),
];
const ours = [
  ...all(sqlFault, '22P02 23505 23514 42501 42601 42P01 42P05 0A000 XX000'),
  ...[new TypeError('x'), Object.assign(new RangeError('x'), { code: 'ERR_INVALID_ARG_TYPE' })],
  // What is no error.
  ...['a text', { code: '57P01' }, undefined, null],
];

describe('contract: answers — faults of the driver', () => {
  it('tell a database that is away from mistakes of a statement, of the rights and of the code', () => {
    for (const fault of away) expect(isDatabaseAway(fault), String(fault)).to.equal(true);
    for (const fault of ours) expect(isDatabaseAway(fault), String(fault)).to.equal(false);
  });

  it('tell commands what the server itself undid; not so what may have been committed', () => {
    const told = (cause: unknown) => {
      const error = new Unavailable('the database did not answer', { cause });
      const fault = clearFault(error, { database: 'mirrors', user: 'me' }, {}) as Error;
      return fault.message.replace('the database localhost:5432/mirrors', 'it');
    };
    for (const code of ['57014', '55P03', '40001', '40P01', '25P04'])
      expect(told(sqlFault(code))).to.match(
        /: nothing was done; another transaction holds what .*: repeat it$/,
      );
    expect(told(sqlFault('53100'))).to.equal(
      'it, user "me": error (53100): nothing was done; its log says which resource it lacks, such as disk space',
    );
    const unknown = 'it is unknown whether this was done: check it, then repeat it';
    for (const code of ['08000', '08006', '40003', '57P01', '57P02', '57P03'])
      expect(told(sqlFault(code))).to.equal(`it became unavailable (${code}): ${unknown}`);
    for (const code of ['ECONNRESET', 'EPIPE'])
      expect(told(systemFault(code))).to.equal(`it became unavailable (${code}): ${unknown}`);
    expect(told(new Error('Query read timeout'))).to.equal(
      `it became unavailable (Query read timeout): ${unknown}`,
    );
  });
});
