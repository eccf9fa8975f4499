import { openDatabase } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import { StatementRunner } from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';
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
});
