/** The limit that was exceeded. */
export type Overload = 'requests' | 'event-loop-delay' | 'connections';

/** Receives overload as two events, however much there is: its beginning and its end. The app implements it. */
export interface OverloadLog {
  /** Something was refused, for the first time in a while. */
  began(what: Overload): void;
  /** Nothing was refused for a while: how much there was, and for how long, in milliseconds. */
  ended(what: Overload, refused: number, milliseconds: number): void;
}

export const silentOverloadLog: OverloadLog = { began: () => {}, ended: () => {} };

/** A spell of overload ends when nothing was refused for this long, in milliseconds. */
const quiet = 5_000;

/** Reports any number of refusals as two events. */
export class OverloadSpells {
  readonly #log: OverloadLog;
  readonly #spells = new Map<
    Overload,
    { refused: number; since: number; last: number; end: NodeJS.Timeout }
  >();

  constructor(log: OverloadLog) {
    this.#log = log;
  }

  /** Counts a refusal. */
  count(what: Overload): void {
    const now = performance.now();
    const spell = this.#spells.get(what);
    if (spell) {
      spell.refused += 1;
      spell.last = now;
      spell.end.refresh();
      return;
    }
    const end = setTimeout(() => this.#end(what), quiet).unref();
    this.#spells.set(what, { refused: 1, since: now, last: now, end });
    this.#log.began(what);
  }

  /** Reports the spells that have not ended yet. */
  stop(): void {
    for (const what of this.#spells.keys()) this.#end(what);
  }

  #end(what: Overload): void {
    const spell = this.#spells.get(what);
    if (!spell) return;
    this.#spells.delete(what);
    clearTimeout(spell.end);
    this.#log.ended(what, spell.refused, spell.last - spell.since);
  }
}
