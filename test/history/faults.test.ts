import { expect } from 'chai';
import { seed } from '../support/seed.ts';
import { underFault } from './faults/under-fault.ts';

describe(`history of two processes whose database is killed (SEED=${seed})`, () => {
  it('breaks no rule, and keeps no transaction open', async () => {
    const { violations } = await underFault('database-killed');
    expect(violations).to.deep.equal([]);
  });
});
