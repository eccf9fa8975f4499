import type { Connection, Pool } from 'pg';

/**
 * The function of PostgreSQL that warns; its text depends on the server's language. Only one of its warnings leaves the
 * connection open: the wait for a synchronous standby was canceled, the transaction is committed here, and a failover
 * may lose it.
 */
const waitForStandby = 'SyncRepWaitForLSN';

/**
 * From now on such a commit, which PostgreSQL reports as successful, fails as if the connection had been lost: its
 * outcome is unknown.
 */
export function refuseUnreplicated(pool: Pool): void {
  pool.on('connect', (client) => {
    client.on('notice', ({ routine }) => {
      if (routine !== waitForStandby) return;
      const { connection } = client as unknown as { connection: Connection };
      // At once: the message that reports success may already have been received.
      connection.emit('error', new Error('the wait for a synchronous standby was canceled'));
    });
  });
}
