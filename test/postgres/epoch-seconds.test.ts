import { openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { timestampText } from '../../packages/adapters-persistence/src/schema/schema.ts';
import {
  epochSeconds,
  timestampAt,
} from '../../packages/adapters-persistence/src/statements/epoch-seconds.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('a time that PostgreSQL writes as seconds', () => {
  const database = databaseOf('suite');

  it('is the one that it writes as a text, to the microsecond, whatever its time zone and style', async () => {
    const times = [
      '2026-11-22T11:35:29.123456Z',
      '2026-11-22T11:35:29.000001Z',
      '2026-11-22T11:35:29.100000Z',
      '2024-02-29T23:59:59.999999Z',
      '1970-01-01T00:00:00.000000Z',
      '1969-12-31T23:59:59.999999Z',
      '1969-12-31T23:59:59.000000Z',
      '0001-01-01T00:00:00.000000Z',
      '0099-06-15T12:00:00.000007Z',
      '9999-12-31T23:59:59.999999Z',
    ];
    await database.admin.query(`alter database ${database.name} set timezone = 'Asia/Kathmandu'`);
    await database.admin.query(`alter database ${database.name} set datestyle = 'German'`);
    const { pool, close } = await openDatabase(database.address('service'));
    const text = `select ${epochSeconds('at')}, ${timestampText('at')} from unnest($1::timestamptz[]) at`;
    const rows = await new Statements(pool).run({ name: 'times', text }, [`{${times.join()}}`]);
    await close();
    expect(rows.map((row) => row[1])).to.deep.equal(times);
    expect(rows.map(([seconds]) => timestampAt(String(seconds)))).to.deep.equal(times);
    // An infinite one is the first or the last moment of the years 1 to 9999.
    expect(timestampAt('-Infinity')).to.equal('0001-01-01T00:00:00.000000Z');
    expect(timestampAt('Infinity')).to.equal('9999-12-31T23:59:59.999999Z');
  });
});
