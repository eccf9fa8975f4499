import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { EventLoopDelay } from '../../packages/adapters-http/src/chain/event-loop-delay.ts';
import { eventually } from '../support/eventually.ts';

describe('contract: overload — the event loop’s delay', () => {
  function block(milliseconds: number): void {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  it('is too long while each turn takes too long, and not when they are short again, nor for a single one', async () => {
    const delay = new EventLoopDelay(50);
    try {
      await eventually('a delay', () => {
        block(200);
        expect(delay.tooLong).to.equal(true);
      });
      await eventually('no delay', () => expect(delay.tooLong).to.equal(false));
      await pause(100);
      block(200);
      await pause(1);
      expect(delay.tooLong).to.equal(false);
    } finally {
      delay.stop();
    }
  });
});
