import type { Checks } from '@campaign-mirror/adapters-http';
import type { DatabaseState } from '@campaign-mirror/adapters-persistence';

/** Whether the service can serve. */
export type Readiness = () => Promise<Checks>;

/** How long an answer of the database, good or bad, counts as its present state, in milliseconds. */
const usuallyFresh = 1_000;

/**
 * The database is ready, and the process is not `ending`. However often it is called, the database is asked at most once
 * a second, and once at a time. `ask` answers in bounded time, and never rejects.
 */
export function readinessOf(
  ask: () => Promise<DatabaseState>,
  ending: AbortSignal,
  fresh = usuallyFresh,
): Readiness {
  let asked: { readonly state: Promise<DatabaseState>; until: number } | undefined;
  return async () => {
    if (ending.aborted) return { accepting: false };
    if (!asked || performance.now() >= asked.until) {
      const one = { state: ask(), until: Number.POSITIVE_INFINITY };
      void one.state.then(() => {
        one.until = performance.now() + fresh;
      });
      asked = one;
    }
    const state = await asked.state;
    return { accepting: !ending.aborted, ...state };
  };
}
