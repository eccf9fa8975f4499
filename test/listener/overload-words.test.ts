import { expect } from 'chai';
import { EventLoopDelay } from '../../packages/adapters-http/src/event-loop-delay.ts';
import { Refusals } from '../../packages/adapters-http/src/refusals.ts';
import { ToldOverload } from '../support/told-overload.ts';

describe('decisions: order of checks — what is told of refusals', () => {
  it('one word when they begin and one when there were none for a while, however many there are', async () => {
    const told = new ToldOverload();
    const refusals = new Refusals(told, 10);
    for (let times = 0; times < 1000; times++) refusals.count('requests');
    refusals.count('connections');
    await told.hears('ended requests 1000');
    await told.hears('ended connections 1');
    refusals.count('requests');
    await told.hears('ended requests 1');
    expect(told.words).to.have.length(6);
    refusals.stop();
  });

  it('is not over while more are refused, and is told of at the end', () => {
    const told = new ToldOverload();
    const refusals = new Refusals(told, 600_000);
    for (let times = 0; times < 3; times++) refusals.count('event-loop-delay');
    expect(told.words).to.deep.equal(['began event-loop-delay']);
    refusals.stop();
    refusals.stop();
    expect(told.words).to.deep.equal(['began event-loop-delay', 'ended event-loop-delay 3']);
  });
});

describe('decisions: order of checks — the event loop’s delay', () => {
  const turn = () => new Promise(setImmediate);
  const busyFor = (milliseconds: number) => {
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  };

  it('is too long while each turn takes too long, and not when they are short again', async () => {
    const delay = new EventLoopDelay(60, 5);
    expect(delay.tooLong).to.equal(false);
    while (!delay.tooLong) {
      busyFor(100);
      await turn();
    }
    while (delay.tooLong) await turn();
    delay.stop();
  });

  it('is not too long for a single pause', async () => {
    const delay = new EventLoopDelay(500, 5);
    busyFor(600);
    await ticks(1);
    expect(delay.tooLong).to.equal(false);
    await ticks(3);
    busyFor(600);
    await ticks(1);
    expect(delay.tooLong).to.equal(false);
    delay.stop();
  });

  /** Timers that are as long as theirs, and come after them. */
  async function ticks(number: number): Promise<void> {
    for (let at = 0; at < number; at++) await new Promise((resolve) => setTimeout(resolve, 5));
  }
});
