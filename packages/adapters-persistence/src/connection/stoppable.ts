import type { Socket } from 'node:net';
import type { ClientBase, Connection } from 'pg';
import { portFault } from './database-faults.ts';

/** The driver's types do not have it. */
export const connectionOf = (client: ClientBase) =>
  (client as unknown as { connection: Connection & { stream: Socket } }).connection;

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

/**
 * For long work: neither a long statement nor a slow reader or writer ends the transaction. But a lost connection ends
 * a statement within half a second, where the server's system can notice it. PostgreSQL 17 added `transaction_timeout`.
 */
export const withoutTimeouts = `
  set local statement_timeout = 0; set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0;
  select set_config(name, case name when 'transaction_timeout' then '0' else '500ms' end, true) from pg_settings
  where name = 'transaction_timeout' or name = 'client_connection_check_interval' and version() ~ 'linux|darwin|bsd'`;

/** Until `spare` is called, `signal` cuts the connection, and the server rolls back: `faultOf` an error is its reason. */
export function cutBy(signal: AbortSignal | undefined, client: ClientBase) {
  let isCut = false;
  const cut = () => {
    isCut = true;
    connectionOf(client).stream.destroy();
  };
  signal?.addEventListener('abort', cut);
  if (signal?.aborted) cut();
  return {
    spare: () => signal?.removeEventListener('abort', cut),
    faultOf: (error: unknown): unknown => (isCut ? signal?.reason : portFault(error)),
  };
}
