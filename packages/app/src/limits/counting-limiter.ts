import type { Count, Limiter, Rate } from '@campaign-mirror/adapters-http';
import { Unavailable } from '@campaign-mirror/domain';
import type { Counts, LimitName } from './counts.ts';
import type { LimitObserver } from './limit-observer.ts';

/** What happens where counting fails: the request passes (`open`), or does not. */
export type WhenAway = 'open' | 'closed';

/** A limit whose counts may be kept in a store that can be unavailable. */
export class CountingLimiter implements Limiter {
  readonly rate: Rate;
  readonly #name: LimitName;
  readonly #counts: Counts;
  readonly #passes: boolean;
  readonly #observer: LimitObserver;

  constructor(name: LimitName, rate: Rate, counts: Counts, whenAway: WhenAway, observer: LimitObserver) {
    this.rate = rate;
    this.#name = name;
    this.#counts = counts;
    this.#passes = whenAway === 'open';
    this.#observer = observer;
  }

  async count(who: string): Promise<Count | undefined> {
    try {
      return await this.#counts.count(who);
    } catch (error) {
      this.#observer.uncounted(this.#name, error, this.#passes);
      if (this.#passes) return undefined;
      throw new Unavailable('the request could not be counted', { cause: error });
    }
  }
}
