import { expect } from 'chai';
import { EventLoopDelay } from '../../packages/adapters-http/src/listener/event-loop-delay.ts';
import { Refusals } from '../../packages/adapters-http/src/listener/refusals.ts';
import { type SteppedClock, steppedClock } from '../support/http/clock.ts';
import { ToldOverload } from '../support/http/told-overload.ts';

describe('contract: order of checks — what is logged about refusals', () => {
  let clock: SteppedClock;
  let told: ToldOverload;
  let refusals: Refusals;
  beforeEach(() => {
    clock = steppedClock();
    told = new ToldOverload();
    refusals = new Refusals(told, clock);
  });
  afterEach(() => refusals.stop());

  it('one word when they begin and one when there were none for a while, however many there are', () => {
    for (let times = 0; times < 100; times++) {
      refusals.count('requests');
      clock.tick(1_000);
    }
    refusals.count('connections');
    expect(told.words).to.deep.equal(['began requests', 'began connections']);
    clock.tick(60_000);
    expect(told.words.slice(2)).to.have.members([
      'ended requests: 100 in 99000 ms',
      'ended connections: 1 in 0 ms',
    ]);
  });

  it('begins again after it was over, and what is not over is reported at the end, once', () => {
    refusals.count('requests');
    clock.tick(60_000);
    refusals.count('requests');
    refusals.count('requests');
    refusals.stop();
    refusals.stop();
    clock.tick(60_000);
    const spells = [1, 2].flatMap((number) => ['began requests', `ended requests: ${number} in 0 ms`]);
    expect(told.words).to.deep.equal(spells);
  });
});

describe('contract: order of checks — the event loop’s delay', () => {
  const most = 100;
  let clock: SteppedClock;
  let delay: EventLoopDelay;
  beforeEach(() => {
    clock = steppedClock();
    delay = new EventLoopDelay(most, clock);
  });

  it('is too long while each turn takes too long, and not when they are short again', () => {
    expect(delay.tooLong).to.equal(false);
    for (let turns = 0; turns < 5; turns++) clock.jump(2 * most);
    expect(delay.tooLong).to.equal(true);
    clock.tick(most);
    expect(delay.tooLong).to.equal(false);
  });

  it('is not too long for a single pause, nor for turns that are late and not too late', () => {
    for (let turns = 0; turns < 5; turns++) {
      clock.jump(10 * most);
      expect(delay.tooLong).to.equal(false);
      clock.tick(most);
    }
    for (let turns = 0; turns < 5; turns++) clock.jump(most);
    expect(delay.tooLong).to.equal(false);
  });

  it('is not too long for ever once it is measured no more', () => {
    clock.jump(2 * most);
    clock.jump(2 * most);
    delay.stop();
    clock.jump(2 * most);
    expect(delay.tooLong).to.equal(false);
  });
});
