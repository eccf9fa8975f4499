import { type Kind, type Plan, requestEnd, requestHead } from './plan.ts';

interface Turn extends Kind {
  next: number;
  made: number;
}

/** Makes a plan's requests, as `load.lua` does: each with an address that no other request has. */
export class Asker {
  readonly #kinds: readonly Turn[];
  readonly #order: readonly number[];
  #place = 0;
  #number: number;

  /** `before` requests were made by others. */
  constructor({ kinds, order }: Plan, before: number) {
    this.#kinds = kinds.map((kind) => ({ ...kind, next: before, made: 0 }));
    this.#order = order;
    this.#number = 1_000_000_000 + before;
  }

  /** A whole message. */
  next(): string {
    const kind = this.#kinds[this.#order[this.#place] ?? 0] as Turn;
    this.#place = (this.#place + 1) % this.#order.length;
    this.#number += 1;
    kind.next += 1;
    kind.made += 1;
    const campaign = kind.firstCampaign + ((kind.next * kind.stride) % kind.campaigns);
    return requestHead + campaign + kind.tails[campaign % kind.tails.length] + this.#number + requestEnd;
  }

  /** How many requests were made for each status that is the right answer. */
  get made(): Record<string, number> {
    const made: Record<string, number> = {};
    for (const { expected, made: count } of this.#kinds) made[expected] = (made[expected] ?? 0) + count;
    return made;
  }
}
