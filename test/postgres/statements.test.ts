import { type Database, openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { StatementRunner } from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { timestampAt, timestampText } from '../../packages/adapters-persistence/src/schema/stored-values.ts';
import { patient } from '../support/database/patient.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('statements of the hot path, on one connection', () => {
  const database = databaseOf('suite');
  const limits = { ...patient, size: 1 };
  let service: Database;
  beforeEach(async () => {
    service = await openDatabase(database.address('service'), limits);
  });
  afterEach(() => service.close());

  it('a plan that is stale on every connection: the statement is answered at once', async () => {
    await service.close();
    service = await openDatabase(database.address('service'), { ...limits, size: 3 });
    await database.admin.query('create table changing (column_ int); grant all on changing to public');
    const ask = () =>
      new StatementRunner(service.pool).run({ name: 'find-campaigns', text: 'select * from changing' }, []);
    await Promise.all([ask(), ask(), ask()]);
    expect(service.pool.totalCount).to.equal(3);
    await database.admin.query('alter table changing add another int');
    expect(await ask()).to.deep.equal([]);
  });

  it('a time that PostgreSQL writes as seconds is the one that it writes as a text, to the microsecond, whatever its time zone and style', async () => {
    const times = [
      '2026-11-22T11:35:29.123456Z',
      '2024-02-29T23:59:59.999999Z',
      '1969-12-31T23:59:59.999999Z',
      '0001-01-01T00:00:00.000000Z',
      '0099-06-15T12:00:00.000007Z',
      '9999-12-31T23:59:59.999999Z',
    ];
    await service.pool.query("set time zone 'Asia/Kathmandu'; set datestyle to 'German'");
    const text = `select extract(epoch from at), ${timestampText('at')} from unnest($1::timestamptz[]) at`;
    const rows = await new StatementRunner(service.pool).run({ name: 'find-campaigns', text }, [
      `{${times.join()}}`,
    ]);
    expect(rows.map((row) => row[1])).to.deep.equal(times);
    expect(rows.map(([seconds]) => timestampAt(String(seconds)))).to.deep.equal(times);
    // An infinite one is the first or the last moment of the years 1 to 9999.
    expect(timestampAt('-Infinity')).to.equal('0001-01-01T00:00:00.000000Z');
    expect(timestampAt('Infinity')).to.equal('9999-12-31T23:59:59.999999Z');
  });
});
