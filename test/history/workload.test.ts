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
    const facts = new Set(record.acts.flatMap((act) => Object.keys(act)));
    expect(facts).to.include.all.keys('owner', 'mirror', 'isDefault', 'isRevoked');
  });
});
