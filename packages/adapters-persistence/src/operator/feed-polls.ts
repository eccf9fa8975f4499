import { setTimeout as pause } from 'node:timers/promises';
import type { HistoryEntry } from '@campaign-mirror/domain';
import type { ChangeFeed } from '@campaign-mirror/domain/operator';
import type { Pool } from 'pg';
import { isInvalidValue, portFault, throwFault } from '../connection/database-faults.ts';
import { withTimeLimit } from '../connection/pool.ts';
import { rowOf } from '../connection/rows.ts';
import { connectTo, cursorRows } from '../connection/transaction.ts';
import { entries } from './history-queries.ts';

/** In milliseconds: the time between two polls, and after which a server that does not answer counts as lost. */
const betweenPolls = 100;
const longestAnswer = 10_000;

const changes = `
  select found.*, change_id as number, feed.position
  from campaign_mirror.changes_since($1) as feed left join lateral (
    ${entries} from campaign_mirror.mirror_history
    where id = change_id and ($2::bigint is null or owner_id = $2) and ($3::bigint is null or campaign_id = $3)
  ) as found on true
  order by change_id`;

const present = 'select position from campaign_mirror.changes_since(null)';

type Change = HistoryEntry & { readonly number: number; readonly position: string };

/** By `changes_since`. `signal` ends a pause between two polls, by throwing. */
export const postgresChangeFeed = (pool: Pool, signal?: AbortSignal): ChangeFeed => ({
  async *follow({ from, owner, campaign }) {
    const client = await connectTo(pool);
    // Why the connection ended, which the next statement does not say.
    let lost: Error | undefined;
    client.on('error', (error) => {
      lost ??= error;
    });
    const answered = async (text: string) => {
      const answer = await withTimeLimit(longestAnswer, client.query(text).catch(throwFault));
      if (!answer) throw portFault(new Error(`no answer within ${longestAnswer / 1_000} s`));
    };
    /** One poll, from one snapshot. A change has the position before the poll, and the last one that after it. */
    async function* poll(position: string) {
      await answered('begin isolation level repeatable read read only');
      let last: Change | undefined;
      for await (const row of cursorRows<Change>(client, changes, [position, owner, campaign])) {
        if (last) yield { ...last, position };
        last = row;
      }
      if (last) yield last;
      await answered('commit');
    }
    try {
      // On this connection, since a position of another one ends with a reset of statistics.
      let position = from ?? (await rowOf<{ position: string }>(client, present)).position;
      let seen = new Set<number>();
      // A standby returns some changes again, those from before the beginning, too.
      if (from === undefined) for await (const { number } of poll(position)) seen.add(number);
      yield { position };
      for (; ; await pause(betweenPolls, undefined, { signal })) {
        const found = new Set<number>();
        const before = position;
        for await (const { number, ...change } of poll(before)) {
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
