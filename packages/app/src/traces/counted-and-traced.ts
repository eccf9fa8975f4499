import type { BatchKind, Call, HotPathObserver } from '@campaign-mirror/adapters-persistence';

interface Begun {
  readonly counted: unknown;
  readonly traced: unknown;
}

/** Has one who counts and one who traces hear of the hot path. Of what is theirs alone, the other hears nothing. */
export class CountedAndTraced implements HotPathObserver {
  readonly #counts: HotPathObserver;
  readonly #traces: HotPathObserver;

  constructor(counts: HotPathObserver, traces: HotPathObserver) {
    this.#counts = counts;
    this.#traces = traces;
  }

  origin(): unknown {
    return this.#traces.origin?.();
  }

  batch(kind: BatchKind, size: number, calls: readonly Call[]): void {
    this.#counts.batch(kind, size, calls);
    this.#traces.batch(kind, size, calls);
  }

  alone(call: Call): void {
    this.#traces.alone?.(call);
  }

  began(statement: string): Begun {
    return { counted: this.#counts.began(statement), traced: this.#traces.began(statement) };
  }

  ended(statement: string, milliseconds: number, begun: unknown, error?: unknown): void {
    const { counted, traced } = begun as Begun;
    this.#counts.ended(statement, milliseconds, counted, error);
    this.#traces.ended(statement, milliseconds, traced, error);
  }

  retried(statement: string, begun: unknown): Begun {
    const { counted, traced } = begun as Begun;
    return {
      counted: this.#counts.retried(statement, counted),
      traced: this.#traces.retried(statement, traced),
    };
  }

  splitUp(kind: BatchKind): void {
    this.#counts.splitUp(kind);
  }

  setAside(): void {
    this.#counts.setAside();
  }

  judgedAgain(): void {
    this.#counts.judgedAgain();
  }
}
