import { expect } from 'chai';
import { databaseOf } from '../support/process/lives.ts';
import { sharingServices } from '../support/process/service-process.ts';
import { seed } from '../support/seed.ts';
import { violationsOf } from './check.ts';
import { recorded } from './workload/run.ts';

const updates = 600;

describe(`a history of many callers, operators and clicks (SEED=${seed})`, () => {
  const database = databaseOf('test');

  for (const processes of [1, 2])
    it(`breaks no rule, with ${processes} serving`, async () => {
      const DATABASE_URL = database.url('service');
      const settings = { DATABASE_URL, RUN_MIGRATIONS: 'false', FAILED_KEY_LIMIT: 'off' };
      const { base } = await sharingServices(settings, processes);
      const record = await recorded({ store: database, base, seed }, (recorder) => recorder.updates(updates));
      expect(violationsOf(record)).to.deep.equal([]);
      const kinds = new Set(record.acts.map(({ kind }) => kind));
      expect(kinds).to.include.all.keys('transferred', 'mirror-created', 'key-ends');
    });
});
