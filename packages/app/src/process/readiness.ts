import type { Checks } from '@campaign-mirror/adapters-http/service';
import type { DatabaseState } from '@campaign-mirror/adapters-persistence/service';
import { LRUCache } from 'lru-cache';

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
  const fetchMethod = async () => ({ value: await ask() });
  const latest = new LRUCache<'answer', { readonly value: T }>({ max: 1, ttl: milliseconds, fetchMethod });
  return async () => (await latest.forceFetch('answer')).value;
}
