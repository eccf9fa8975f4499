import type { Checks } from '@campaign-mirror/adapters-http';
import type { DatabaseState } from '@campaign-mirror/adapters-persistence';

/** Whether the service can serve. */
export type Readiness = () => Promise<Checks>;

/** How long an answer of the database, good or bad, counts as its present state, in milliseconds. */
const usuallyFresh = 1_000;

/**
 * The database, if there is one, is ready, and the process is not `ending`. However often it is called, the database is asked at most once
 * a second, and once at a time. `ask` answers in bounded time, and never rejects.
 */
export function readinessOf(
  ask: () => Promise<Partial<DatabaseState>>,
  ending: AbortSignal,
  fresh = usuallyFresh,
): Readiness {
  const asked = atMostEvery(fresh, ask);
  return async () => {
    if (ending.aborted) return { accepting: false };
    const state = await asked();
    return { accepting: !ending.aborted, ...state };
  };
}

/** Asks once at a time, and again so many milliseconds after the last answer. `ask` never rejects. */
export function atMostEvery<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let asked: { readonly answer: Promise<T>; until: number } | undefined;
  return () => {
    if (!asked || performance.now() >= asked.until) {
      const one = { answer: ask(), until: Number.POSITIVE_INFINITY };
      void one.answer.then(() => {
        one.until = performance.now() + milliseconds;
      });
      asked = one;
    }
    return asked.answer;
  };
}
