import { AssertionError, expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { rejection } from '../support/faults.ts';

describe('eventually', () => {
  it('looks until nothing is asserted that does not hold, and gives what it saw then', async () => {
    let looks = 0;
    const third = async () => {
      looks += 1;
      expect(looks).to.equal(3);
      return `look ${looks}`;
    };
    expect(await eventually('the third look', third)).to.equal('look 3');
  });

  it('ends in its time, and says what it waited for and what it saw last; it looks no more', async () => {
    let looks = 0;
    const never = () => {
      looks += 1;
      expect('away').to.equal('back');
    };
    const fault = (await rejection(eventually('the server', never, { within: 20 }))) as Error;
    expect(fault.message).to.equal("waited 20 ms for the server; last seen: expected 'away' to equal 'back'");
    expect(fault.cause).to.be.instanceOf(AssertionError);
    const looked = looks;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(looks).to.equal(looked);
  });

  it('ends in its time when a look does not end', async () => {
    const stuck = () => new Promise<never>(() => {});
    const fault = (await rejection(eventually('an answer', stuck, { within: 20 }))) as Error;
    expect(fault.message).to.equal('waited 20 ms for an answer; last seen: nothing, as no look ended');
  });

  it('throws at once what is no assertion', async () => {
    const broken = async () => {
      throw new RangeError('planted');
    };
    expect(await rejection(eventually('anything', broken))).to.be.instanceOf(RangeError);
  });
});
