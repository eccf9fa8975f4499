import { expect } from 'chai';
import { seed } from '../support/seed.ts';
import { faults } from './faults/faults.ts';
import { lackedBy } from './faults/machine.ts';
import { underFaults } from './faults/under-fault.ts';

/** Those without a long wait, and by how many processes; `npm test -- --suite history --fault all` has the others. */
const short = [
  ['database-killed', 2],
  ['clients-vanishing', 1],
] as const;

describe(`a history under a fault (SEED=${seed})`, () => {
  for (const [name, processes] of short)
    it(`breaks no rule, and nothing is left: ${name}`, async () => {
      const { violations } = await underFaults([faults[name]], { seed, processes });
      expect(violations).to.deep.equal([]);
    });
});

describe('a machine that lacks what a fault takes', () => {
  const bare = { clockLibrary: '/nowhere/libfaketimeMT.so.1', isRoot: false };

  it('what is lacked is said, with what to do', () => {
    const lacking = Object.entries(faults).map(([name, fault]) => [name, lackedBy(fault, bare)] as const);
    const clock = `no ${bare.clockLibrary}: apt-get install libfaketime`;
    expect(Object.fromEntries(lacking.filter(([, lacked]) => lacked))).to.deep.equal({
      'clock-back': clock,
      'clock-forward': clock,
      'disk-full': 'only root can give the database a disk of its own',
    });
  });
});
