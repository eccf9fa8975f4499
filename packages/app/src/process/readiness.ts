import type { Checks } from '@campaign-mirror/adapters-http';
import type { DatabaseState } from '@campaign-mirror/adapters-persistence';
import { within } from '@campaign-mirror/adapters-persistence/sql';

/** How long an answer of the database, good or bad, counts as its present state, in milliseconds. */
const usuallyFresh = 1_000;

/** Whether the service can serve: the database is ready, and the process is not about to end. */
export class Readiness {
  readonly #ask: () => Promise<DatabaseState>;
  readonly #fresh: number;
  #draining = false;
  #asking: Promise<DatabaseState> | undefined;
  #known: { readonly state: DatabaseState; readonly since: number } | undefined;

  /** `ask` queries the database itself, and never rejects. */
  constructor(ask: () => Promise<DatabaseState>, fresh = usuallyFresh) {
    this.#ask = ask;
    this.#fresh = fresh;
  }

  startDraining(): void {
    this.#draining = true;
  }

  async checks(): Promise<Checks> {
    if (this.#draining) return { accepting: false };
    const state = await this.#state();
    return { accepting: !this.#draining, ...state };
  }

  /** However often it is called, the database is queried at most once a second, and once at a time. */
  #state(): DatabaseState | Promise<DatabaseState> {
    if (this.#known && performance.now() - this.#known.since < this.#fresh) return this.#known.state;
    this.#asking ??= this.#ask().then((state) => {
      this.#known = { state, since: performance.now() };
      this.#asking = undefined;
      return state;
    });
    return this.#asking;
  }
}

/** How long the database may take for a health check, in milliseconds; the query has a limit of its own. */
const timeout = 1_000;

/** The checks, or that the database is late. */
export function checksInTime(asked: Promise<Checks>): Promise<Checks> {
  return within(timeout, asked, { database: false });
}
