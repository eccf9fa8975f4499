import { type Database, openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { timestampText } from '../../packages/adapters-persistence/src/schema/schema.ts';
import {
  epochSeconds,
  timestampAt,
} from '../../packages/adapters-persistence/src/statements/epoch-seconds.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { emptyDatabase, type TestDatabase } from '../support/database/database-server.ts';

describe('a time that PostgreSQL writes as seconds', () => {
  let database: TestDatabase;
  let service: Database;
  before(async () => {
    database = await emptyDatabase('owner');
    const limits = { size: 1, waitTimeout: 5_000, statementTimeout: 5_000, queryTimeout: 6_000 };
    service = await openDatabase(database.address('service'), limits);
  });
  after(async () => {
    await service.close();
    await database.drop();
  });

  const times = [
    '2026-11-22T11:35:29.123456Z',
    '2026-11-22T11:35:29.000001Z',
    '2026-11-22T11:35:29.100000Z',
    '2024-02-29T23:59:59.999999Z',
    '1970-01-01T00:00:00.000000Z',
    '1969-12-31T23:59:59.999999Z',
    '1969-12-31T23:59:59.500000Z',
    '1969-12-31T23:59:59.000000Z',
    '1905-03-07T08:09:10.000030Z',
    '0001-01-01T00:00:00.000000Z',
    '0099-06-15T12:00:00.000007Z',
    '9999-12-31T23:59:59.999999Z',
  ];
  for (const [zone, style] of [
    ['UTC', 'ISO'],
    ['Asia/Kathmandu', 'German'],
  ]) {
    it(`is the one that it writes as a text, to the microsecond, in the time zone ${zone}`, async () => {
      await service.pool.query(`set time zone '${zone}'; set datestyle to '${style}'`);
      const rows = await new Statements(service.pool).run(
        {
          name: `times-${style}`,
          text: `select ${epochSeconds('at')}, ${timestampText('at')} from unnest($1::timestamptz[]) at`,
        },
        [`{${times.join()}}`],
      );
      expect(rows.map(([, text]) => text)).to.deep.equal(times);
      expect(rows.map(([seconds]) => timestampAt(String(seconds)))).to.deep.equal(times);
    });
  }

  it('is the first or the last moment of the years 1 to 9999 where it is infinite', () => {
    expect(timestampAt('-Infinity')).to.equal('0001-01-01T00:00:00.000000Z');
    expect(timestampAt('Infinity')).to.equal('9999-12-31T23:59:59.999999Z');
  });
});
