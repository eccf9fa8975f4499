import type { Clock } from './clock.ts';

/** Milliseconds between checks for new refusals; a spell ends when a check finds none. */
const interval = 5_000;

interface Spell {
  readonly since: number;
  last: number;
  refused: number;
  /** The number at the last check. */
  seen: number;
}

/** Reports any number of refusals as two events: one at the beginning, and one with their number at the end. */
export class Refusals {
  readonly #log: OverloadLog;
  readonly #clock: Clock;
  readonly #spells = new Map<Overload, Spell>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: OverloadLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  count(what: Overload): void {
    const now = this.#clock.performance.now();
    const spell = this.#spells.get(what);
    if (spell) {
      spell.refused += 1;
      spell.last = now;
      return;
    }
    this.#spells.set(what, { since: now, last: now, refused: 1, seen: 0 });
    this.#timer ??= this.#clock.setInterval(() => this.#look(), interval).unref();
    this.#log.began(what);
  }

  /** Reports a spell that has not ended yet. */
  stop(): void {
    for (const [what, spell] of this.#spells) this.#end(what, spell);
  }

  #look(): void {
    for (const [what, spell] of this.#spells) {
      if (spell.refused === spell.seen) this.#end(what, spell);
      else spell.seen = spell.refused;
    }
  }

  #end(what: Overload, { refused, since, last }: Spell): void {
    this.#spells.delete(what);
    this.#log.ended(what, refused, last - since);
    if (this.#spells.size > 0) return;
    this.#clock.clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** The limit that was exceeded. */
export type Overload = 'requests' | 'event-loop-delay' | 'pipelined-requests' | 'connections';

/** Receives overload as two events, however much there is: its beginning and its end. The app implements it. */
export interface OverloadLog {
  /** Something was refused, for the first time in a while. */
  began(what: Overload): void;
  /** Nothing was refused for a while: how much there was, and for how long, in milliseconds. */
  ended(what: Overload, refused: number, milliseconds: number): void;
}

export const silentOverloadLog: OverloadLog = { began: () => {}, ended: () => {} };
