import type { Clock } from '@campaign-mirror/adapters-http';
import { createClock, type Clock as FakeClock } from '@sinonjs/fake-timers';

/** Stands still until it is told to go on: `tick` wakes all that is due on the way, `jump` only once. */
export type SteppedClock = Clock & Pick<FakeClock, 'tick' | 'jump'>;

export function steppedClock(): SteppedClock {
  // By their types its timers may be numbers, as in a browser.
  return createClock() as unknown as SteppedClock;
}
