import { openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { StatementRunner } from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { timestampAt, timestampText } from '../../packages/adapters-persistence/src/schema/stored-values.ts';
import { patient } from '../support/database/patient.ts';
import { databaseOf } from '../support/process/lives.ts';

describe('statements of the hot path', () => {
  const database = databaseOf('suite');

  it('are answered although the plan of every connection is stale', async () => {
    const service = await openDatabase(database.address('service'), { ...patient, size: 3 });
    await database.admin.query('create table changing (column_ int); grant all on changing to public');
    const statements = new StatementRunner(service.pool);
    const read = () => statements.run({ name: 'find-campaigns', text: 'select * from changing' }, []);
    await Promise.all([read(), read(), read()]);
    expect(service.pool.totalCount).to.equal(3);
    await database.admin.query('alter table changing add another int');
    expect(await read()).to.deep.equal([]);
    await service.close();
  });

  it('read times to the microsecond, whatever time zone and style the session has', async () => {
    const service = await openDatabase(database.address('service'), { ...patient, size: 1 });
    const times = [
      '2026-11-22T11:35:29.123456Z',
      '1969-12-31T23:59:59.999999Z',
      '0001-01-01T00:00:00.000000Z',
      '9999-12-31T23:59:59.999999Z',
    ];
    await service.pool.query("set time zone 'Asia/Kathmandu'; set datestyle to 'German'");
    const text = `select extract(epoch from at), ${timestampText('at')} from unnest($1::timestamptz[]) at`;
    const statement = { name: 'find-campaigns', text } as const;
    const rows = await new StatementRunner(service.pool).run(statement, [`{${times.join()}}`]);
    expect(rows.map((row) => row[1])).to.deep.equal(times);
    expect(rows.map(([seconds]) => timestampAt(String(seconds)))).to.deep.equal(times);
    await service.close();
  });
});
