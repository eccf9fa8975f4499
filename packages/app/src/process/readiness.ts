import type { Checks } from '@campaign-mirror/adapters-http/service';
import type { DatabaseState } from '@campaign-mirror/adapters-persistence/service';
import { LRUCache } from 'lru-cache';

/** How long an answer of the database, good or bad, counts as its present state, in milliseconds. */
const maxAge = 1_000;

/** Ready: the process is not `ending`, and the database, which `ask` asks in bounded time and without rejecting, is ready. */
export function readinessOf(ask: () => Promise<Partial<DatabaseState>>, ending: AbortSignal) {
  const stateOfDatabase = atMostEvery(maxAge, ask);
  return async (): Promise<Checks> => {
    const state = ending.aborted ? {} : await stateOfDatabase();
    return ending.aborted ? { accepting: false } : { accepting: true, ...state };
  };
}

/** A function that asks once at a time, and again only so many milliseconds after the last answer. `ask` never rejects. */
export function atMostEvery<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
  const fetchMethod = async () => ({ value: await ask() });
  const latest = new LRUCache<'answer', { readonly value: T }>({ max: 1, ttl: milliseconds, fetchMethod });
  return async () => (await latest.forceFetch('answer')).value;
}
