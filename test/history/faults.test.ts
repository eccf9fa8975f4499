import { expect } from 'chai';
import { seed } from '../support/seed.ts';
import { faults } from './faults/faults.ts';
import { underFault } from './faults/under-fault.ts';

describe(`a history of two processes under a fault (SEED=${seed})`, () => {
  // Without a long wait; `npm test -- --suite history --fault all` has the others.
  const name = 'database-killed';

  it(`breaks no rule, and nothing is left: ${name}`, async () => {
    const { violations } = await underFault(faults[name], seed, 2);
    expect(violations).to.deep.equal([]);
  });
});
