import { expect } from 'chai';
import { seed } from '../support/seed.ts';
import { type Fault, faults } from './faults/faults.ts';
import { underFault } from './faults/under-fault.ts';

/** Those without a long wait, and by how many processes; `npm test -- --suite history --fault all` has the others. */
const short = [
  ['database-killed', 2],
  ['clients-vanishing', 1],
] as const;

describe(`a history under a fault (SEED=${seed})`, () => {
  for (const [name, processes] of short)
    it(`breaks no rule, and nothing is left: ${name}`, async () => {
      const { violations } = await underFault(faults[name] as Fault, seed, processes);
      expect(violations).to.deep.equal([]);
    });
});
