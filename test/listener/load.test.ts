import { setTimeout as pause } from 'node:timers/promises';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { EventLoopDelay } from '../../packages/adapters-http/src/chain/event-loop-delay.ts';
import { OverloadSpells } from '../../packages/adapters-http/src/chain/overload-spells.ts';
import { eventually } from '../support/eventually.ts';
import { ToldOverload } from '../support/http/told-overload.ts';

describe('contract: overload — what is logged about refusals', () => {
  let clock: ReturnType<typeof install>;
  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => clock.uninstall());

  it('one word when they begin and one when there were none for a while, however many there are', () => {
    const told = new ToldOverload();
    const spells = new OverloadSpells(told);
    for (let times = 0; times < 100; times++) {
      spells.count('requests');
      clock.tick(1_000);
    }
    spells.count('connections');
    expect(told.words).to.deep.equal(['began requests', 'began connections']);
    clock.tick(60_000);
    expect(told.words.slice(2)).to.have.members([
      'ended requests: 100 in 99000 ms',
      'ended connections: 1 in 0 ms',
    ]);
    spells.count('requests');
    spells.stop();
    clock.tick(60_000);
    expect(told.words.slice(4)).to.deep.equal(['began requests', 'ended requests: 1 in 0 ms']);
  });
});

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
