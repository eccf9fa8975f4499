import { isDatabaseAway } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import pg from 'pg';

const sqlFault = (code: string) => Object.assign(new pg.DatabaseError('error', 1, 'error'), { code });
const systemFault = (code: string) => Object.assign(new Error(code), { code, syscall: 'connect', errno: -1 });
const all = (make: (code: string) => unknown, codes: string) => codes.split(' ').map(make);

const away = [
  ...all(sqlFault, '08000 08006 28000 28P01 3D000 53100 53200 53300 57014 57P01 57P02 57P03 58030'),
  ...all(sqlFault, '25006 25P03 25P04 40001 40P01 55000 55P03'),
  ...all(systemFault, 'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENOENT EAI_AGAIN CERT_HAS_EXPIRED'),
  // The driver gives these no code.
  new Error('Connection terminated unexpectedly'),
  new AggregateError([new Error('connect')], 'both addresses'),
];
const ours = [
  ...all(sqlFault, '22P02 23505 23514 42501 42601 42P01 42P05 0A000 XX000'),
  ...[new TypeError('x'), 'a text', { code: '57P01' }, undefined, null],
];

describe('contract: answers — faults of the driver', () => {
  it('are an outage of the database, or a fault of a statement, of the rights or of the code', () => {
    for (const fault of away) expect(isDatabaseAway(fault), String(fault)).to.equal(true);
    for (const fault of ours) expect(isDatabaseAway(fault), String(fault)).to.equal(false);
  });
});
