import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';
import { listeningService } from '../support/process/service-process.ts';
import { seed } from '../support/seed.ts';
import { violationsOf } from './check.ts';
import { recorded } from './workload/run.ts';

describe(`history under concurrent callers and operators (SEED=${seed})`, () => {
  const database = databaseOf('test');

  it('breaks no rule', async () => {
    const DATABASE_URL = database.url('service');
    const settings = { DATABASE_URL, RUN_MIGRATIONS: 'false', FAILED_KEY_LIMIT: 'off' };
    const { base } = await listeningService(settings);
    const record = await recorded({ store: database, base, seed }, (recorder) => recorder.updates(600));
    expect(violationsOf(record)).to.deep.equal([]);
    const kinds = new Set(record.acts.map(({ kind }) => kind));
    expect(kinds).to.include.all.keys('transferred', 'mirror-created', 'key-revoked');
  });
});
