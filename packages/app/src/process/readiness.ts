import type { Checks } from '@campaign-mirror/adapters-http/service';
import type { DatabaseState } from '@campaign-mirror/adapters-persistence/service';

/** Whether the service can serve. */
export type Readiness = () => Promise<Checks>;

/** How long an answer of the database, good or bad, counts as its present state, in milliseconds. */
const maxAge = 1_000;

/**
 * Ready means that the process is not `ending` and that the database, if there is one, is ready. However often this is
 * called, the database is asked at most once a second, and once at a time. `ask` answers in bounded time, and never rejects.
 */
export function readinessOf(ask: () => Promise<Partial<DatabaseState>>, ending: AbortSignal): Readiness {
  const stateOfDatabase = atMostEvery(maxAge, ask);
  return async () => {
    if (ending.aborted) return { accepting: false };
    const state = await stateOfDatabase();
    return { accepting: !ending.aborted, ...state };
  };
}

/** A function that asks once at a time, and again only so many milliseconds after the last answer. `ask` never rejects. */
export function atMostEvery<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  let latest: { readonly answer: Promise<T>; validUntil: number } | undefined;
  return () => {
    if (!latest || performance.now() >= latest.validUntil) {
      const question = { answer: ask(), validUntil: Number.POSITIVE_INFINITY };
      void question.answer.then(() => {
        question.validUntil = performance.now() + milliseconds;
      });
      latest = question;
    }
    return latest.answer;
  };
}
