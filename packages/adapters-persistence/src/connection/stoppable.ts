import type { Pool, PoolClient } from 'pg';

/** What `promise` resolves with, or `late` after this many milliseconds. A rejection that comes later is ignored. */
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

/** For long work: neither a long statement nor a slow reader or writer ends the transaction. */
export const withoutTimeouts =
  'set local statement_timeout = 0; set local lock_timeout = 0; ' +
  'set local idle_in_transaction_session_timeout = 0; ' +
  // Only PostgreSQL 17 and later have it.
  "select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'";

/**
 * From now on `signal` makes the server end the connection at once and roll back its transaction. The returned function
 * removes that effect, so that a following commit is not disturbed.
 */
export async function endedBy(
  signal: AbortSignal | undefined,
  pool: Pool,
  client: PoolClient,
): Promise<() => Promise<void>> {
  if (!signal) return async () => {};
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  let ending: Promise<unknown> | undefined;
  const end = () => {
    ending = pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]).catch(() => {});
  };
  signal.addEventListener('abort', end);
  return async () => {
    signal.removeEventListener('abort', end);
    await ending;
  };
}

/** Runs statements on a connection until `signal`. @throws the signal's reason */
export async function stoppable<T>(
  signal: AbortSignal | undefined,
  pool: Pool,
  client: PoolClient,
  run: () => Promise<T>,
): Promise<T> {
  const stopListening = await endedBy(signal, pool, client);
  try {
    signal?.throwIfAborted();
    const result = await run();
    signal?.throwIfAborted();
    return result;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    await stopListening();
  }
}
