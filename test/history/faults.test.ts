import { expect } from 'chai';
import { seed } from '../support/seed.ts';
import { faults } from './faults/faults.ts';
import { underFaults } from './faults/under-fault.ts';

/** One without a long wait; `npm run test:history -- --fault all` has the others. */
const short = 'database-killed';

describe(`a history under a fault (SEED=${seed})`, () => {
  it(`breaks no rule, and nothing is left: ${short}`, async () => {
    const { violations } = await underFaults([faults[short]], { seed, workers: 2 });
    expect(violations).to.deep.equal([]);
  });
});
