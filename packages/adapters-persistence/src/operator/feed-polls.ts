import { setTimeout as pause } from 'node:timers/promises';
import type { HistoryEntry } from '@campaign-mirror/domain';
import type { ChangeFeed } from '@campaign-mirror/domain/operator';
import type { Pool } from 'pg';
import { isInvalidValue, portFault, throwFault } from '../connection/database-faults.ts';
import { rowOf } from '../connection/rows.ts';
import { connectTo, cursorRows } from '../connection/transaction.ts';
import { selectEntries } from './history-queries.ts';

/** In milliseconds. */
const pollInterval = 100;
/** A server that does not answer for this number of milliseconds counts as lost. */
const limit = { query_timeout: 10_000 };

const changesText = `
  select found.*, change_id as number, feed.position
  from campaign_mirror.changes_since($1) as feed left join lateral (
    ${selectEntries} from campaign_mirror.mirror_history
    where id = change_id and ($2::bigint is null or owner_id = $2) and ($3::bigint is null or campaign_id = $3)
  ) as found on true
  order by change_id`;

const positionText = 'select position from campaign_mirror.changes_since(null)';

type Change = HistoryEntry & { readonly number: number; readonly position: string };

/** Polls `changes_since`. `signal` ends the pause between two polls, which then throws. */
export const postgresChangeFeed = (pool: Pool, signal?: AbortSignal): ChangeFeed => ({
  async *follow({ from, owner, campaign }) {
    const client = await connectTo(pool);
    // The first error says why the connection ended.
    let lost: Error | undefined;
    client.on('error', (error) => {
      lost ??= error;
    });
    const query = (text: string) => client.query({ text, ...limit }).catch(throwFault);
    /** The changes of one snapshot. Each has the position before the poll, except the last, which has the next one. */
    async function* poll(position: string) {
      await query('begin isolation level repeatable read read only');
      let last: Change | undefined;
      for await (const row of cursorRows<Change>(client, changesText, [position, owner, campaign])) {
        if (last) yield { ...last, position };
        last = row;
      }
      if (last) yield last;
      await query('commit');
    }
    try {
      // All on one connection: after a reset of statistics, positions of other connections are invalid.
      let position = from ?? (await rowOf<{ position: string }>(client, positionText)).position;
      let seen = new Set<number>();
      // A standby returns some changes again, including some from before the first position.
      if (from === undefined) for await (const { number } of poll(position)) seen.add(number);
      yield { position };
      for (; ; await pause(pollInterval, undefined, { signal })) {
        const found = new Set<number>();
        for await (const { number, ...change } of poll(position)) {
          position = change.position;
          if (position.includes('/standby/')) found.add(number);
          if (change.id !== null && !seen.has(number)) yield change;
        }
        seen = found;
      }
    } catch (error) {
      if (!isInvalidValue(error)) throw lost ? portFault(lost) : error;
    } finally {
      client.release(true);
    }
  },
});
