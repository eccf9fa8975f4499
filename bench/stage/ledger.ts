import type { Updates } from '../databases/check-history.ts';

/** What all rounds together, the warm-ups too, have found wrong, and how many updates they made in each database. */
export class Ledger {
  readonly faults: string[] = [];
  readonly #updates = new Map<string, Updates>();

  add(contender: string, { answered, asked }: Updates, faults: readonly string[]): void {
    const sum = this.updatesOf(contender);
    this.#updates.set(contender, { answered: sum.answered + answered, asked: sum.asked + asked });
    this.faults.push(...faults);
  }

  updatesOf(contender: string): Updates {
    return this.#updates.get(contender) ?? { answered: 0, asked: 0 };
  }
}
