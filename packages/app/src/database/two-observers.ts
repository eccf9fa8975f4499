import type { BatchKind, Call, HotPathObserver } from '@campaign-mirror/adapters-persistence';

interface Begun {
  readonly first: unknown;
  readonly second: unknown;
}

/** Passes the hot path's events to two observers. The origin of a call is the second one's. */
export class TwoObservers implements HotPathObserver {
  readonly #first: HotPathObserver;
  readonly #second: HotPathObserver;

  constructor(first: HotPathObserver, second: HotPathObserver) {
    this.#first = first;
    this.#second = second;
  }

  origin(): unknown {
    return this.#second.origin?.();
  }

  batch(kind: BatchKind, size: number, calls: readonly Call[]): void {
    this.#first.batch(kind, size, calls);
    this.#second.batch(kind, size, calls);
  }

  alone(call: Call): void {
    this.#second.alone?.(call);
  }

  began(statement: string): Begun {
    return { first: this.#first.began(statement), second: this.#second.began(statement) };
  }

  ended(statement: string, milliseconds: number, begun: unknown, error?: unknown): void {
    const { first, second } = begun as Begun;
    this.#first.ended(statement, milliseconds, first, error);
    this.#second.ended(statement, milliseconds, second, error);
  }

  retried(statement: string, begun: unknown): Begun {
    const { first, second } = begun as Begun;
    return {
      first: this.#first.retried(statement, first),
      second: this.#second.retried(statement, second),
    };
  }

  splitUp(kind: BatchKind): void {
    this.#first.splitUp(kind);
    this.#second.splitUp(kind);
  }

  refused(statement: string, error: unknown): void {
    this.#first.refused(statement, error);
    this.#second.refused(statement, error);
  }

  setAside(): void {
    this.#first.setAside();
    this.#second.setAside();
  }

  judgedAgain(): void {
    this.#first.judgedAgain();
    this.#second.judgedAgain();
  }
}
