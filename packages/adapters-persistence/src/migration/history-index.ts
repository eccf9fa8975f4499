import type { Pool } from 'pg';
import { blockersOf } from '../connection/lock-holders.ts';
import { numberOf, rowsOf } from '../connection/rows.ts';
import { withoutTimeouts } from '../connection/stoppable.ts';
import { inTransaction } from '../connection/transaction.ts';
import { historyIndex, historyIndexText } from '../schema/feed.ts';
import { inTurn, takeTurn, turns, type Waiting } from './turns.ts';

/** How often it looks for those whom the build waits for, in milliseconds. */
const betweenLooks = 2_000;

/** One row with whether the index is finished, if it is there. */
export const indexText = `
  select indisvalid as built from pg_index where indexrelid = to_regclass('${historyIndex}')`;

/**
 * It is our turn: who builds now is the session of a process that was killed, which the server ends only when it has built,
 * and which would deadlock with the removal of what it has built so far.
 */
const endOrphans = `
  select pg_terminate_backend(pid, 10000) from pg_stat_progress_create_index join pg_stat_activity using (pid)
  where relid = 'campaign_mirror.mirror_history'::regclass and application_name = 'campaign-mirror migrations'`;

/**
 * Builds the index by which the feed finds changes, unless it is there, without keeping writers out, hence outside a
 * transaction. What an interrupted build has left is removed first. The build waits for transactions that began before
 * it, such as a dump, however long they run. `pooled`: behind a pooler, the session is not ours to set or to end.
 * @throws Unavailable when somebody else keeps the turn; what the driver throws
 */
export async function buildHistoryIndex(pool: Pool, pooled: boolean, waiting: Waiting): Promise<void> {
  const build = () =>
    inTransaction(
      pool,
      async (holder) => {
        await takeTurn((text) => rowsOf(holder, text), [turns.index]);
        const builder = await pool.connect();
        // The running statement reports why the connection ended.
        builder.on('error', () => {});
        const pid = pooled ? 0 : await numberOf(builder, 'select pg_backend_pid() as number');
        const end = () => void holder.query('select pg_terminate_backend($1)', [pid]).catch(() => {});
        waiting.givenUp?.addEventListener('abort', end);
        // Not by the holder: while its transaction reads, the build would wait for its end.
        const looking = setInterval(sayingOnce(pool, pid, waiting.onWait), betweenLooks);
        try {
          if (!pooled) await builder.query('set statement_timeout = 0; set lock_timeout = 0');
          await rowsOf(builder, endOrphans);
          const [index] = await rowsOf<{ built: boolean }>(builder, indexText);
          if (index?.built === false) await builder.query(`drop index concurrently ${historyIndex}`);
          await builder.query(historyIndexText);
        } finally {
          clearInterval(looking);
          waiting.givenUp?.removeEventListener('abort', end);
          builder.release(true);
        }
      },
      withoutTimeouts,
    );
  await inTurn(pool, [turns.index], waiting, build);
}

/** Says whom the session of this process id waits for, unless it was said last. */
function sayingOnce(pool: Pool, pid: number, onWait: (line: string) => void): () => Promise<void> {
  let said: string | undefined;
  return async () => {
    const blockers = await blockersOf(pool, pid).catch(() => undefined);
    if (!blockers || blockers === said) return;
    said = blockers;
    onWait(`the index of the history is being built: waiting for the transaction of ${blockers} to end`);
  };
}
