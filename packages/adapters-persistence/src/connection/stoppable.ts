import type { Client, PoolClient } from 'pg';

/**
 * What `promise` resolves with, or `late` after this many milliseconds. No timer is left running. Rejects as `promise`
 * does; a rejection that comes later than that is ignored.
 */
export async function withTimeLimit<T, Late = undefined>(
  milliseconds: number,
  promise: Promise<T>,
  late?: Late,
): Promise<T | Late> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(() => resolve(late as Late), milliseconds);
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Removes the time limits of a transaction, for long work: neither a long statement nor a slow reader or writer ends
 * it.
 */
export const withoutTimeouts =
  'set local statement_timeout = 0; set local lock_timeout = 0; ' +
  'set local idle_in_transaction_session_timeout = 0; ' +
  // Only PostgreSQL 17 and later have it.
  "select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'";

/** From now on `signal` ends the connection, and the server rolls back. The returned function removes that effect. */
export function endedBy(signal: AbortSignal | undefined, client: PoolClient): () => void {
  const end = () => void (client as unknown as Client).end();
  signal?.addEventListener('abort', end);
  return () => signal?.removeEventListener('abort', end);
}

/** Runs statements on a connection until `signal`. @throws the signal's reason */
export async function stoppable<T>(
  signal: AbortSignal | undefined,
  client: PoolClient,
  run: () => Promise<T>,
): Promise<T> {
  const stopListening = endedBy(signal, client);
  try {
    signal?.throwIfAborted();
    const result = await run();
    signal?.throwIfAborted();
    return result;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    // A commit that follows is not disturbed.
    stopListening();
  }
}
