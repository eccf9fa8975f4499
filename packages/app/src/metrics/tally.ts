import type { Sample } from './definition.ts';

/** Counts by one label. Those values that are named at once are told from 0 on, so that their first rise is seen. */
export class Tally {
  readonly #label: string;
  readonly #counts: Map<string, number>;

  constructor(label: string, from: readonly string[] = []) {
    this.#label = label;
    this.#counts = new Map(from.map((value) => [value, 0]));
  }

  /** `value`: one of a few, never a caller's choice. */
  count(value: string): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  samples(): Sample[] {
    return [...this.#counts].map(([value, count]) => ({ labels: { [this.#label]: value }, value: count }));
  }
}
