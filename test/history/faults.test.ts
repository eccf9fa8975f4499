import { expect } from 'chai';
import { seed } from '../support/seed.ts';
import { faults } from './faults/faults.ts';
import { underFaults } from './faults/under-fault.ts';

/** Those that take no long wait; `npm run test:history -- --fault all` has the others. */
const short = ['database-killed', 'worker-killed'];

describe(`a history under faults (SEED=${seed})`, () => {
  it(`breaks no rule, and nothing is left: ${short.join(', ')}`, async () => {
    const { violations } = await underFaults(
      Object.entries(faults).flatMap(([name, fault]) => (short.includes(name) ? [fault] : [])),
      { seed },
    );
    expect(violations).to.deep.equal([]);
  });
});
