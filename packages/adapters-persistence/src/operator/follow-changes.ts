import { setTimeout as pause } from 'node:timers/promises';
import { type HistoryEntry, Unavailable } from '@campaign-mirror/domain';
import type { ChangeFeed, FollowedChanges } from '@campaign-mirror/domain/operator';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { isInvalidValue, portFault } from '../connection/database-faults.ts';
import { rowsOf } from '../connection/rows.ts';
import { withTimeLimit } from '../connection/stoppable.ts';
import { connectTo, cursorRows, ofOneMoment } from '../connection/transaction.ts';
import { timestampText } from '../schema/times.ts';
import { entries, sinceTime } from './history-and-audit.ts';

/** In milliseconds: the time between two looks, and how long the answer to one may take. */
const betweenLooks = 100;
const longestLook = 10_000;

/**
 * The numbers of the changes after a position, a thousand in a row: as text, since a reader that was slow for hours finds
 * millions. Without changes, one row.
 */
const look = `
  select ${timestampText('now()')} as "lookedAt", pg_is_in_recovery() as "onStandby", parts.position, parts.numbers
  from (values (1)) as one left join (
    select position, part, array_agg(change_id)::text as numbers
    from (
      select position, change_id, (row_number() over (order by change_id) - 1) / 1000 as part
      from campaign_mirror.changes_since($1)
    ) as changes
    group by position, part
  ) as parts on true
  order by parts.part`;

const wanted = (which: string) => `${entries} from campaign_mirror.mirror_history
  where ${which} and ($2::bigint is null or owner_id = $2) and ($3::bigint is null or campaign_id = $3) order by id`;
const byNumber = wanted('id = any ($1::bigint[])');
const since = wanted(sinceTime("coalesce($1::timestamptz, now() - interval '1 minute')", '$4'));

/** By `changes_since`. */
export const postgresChangeFeed = (pool: Pool, signal?: AbortSignal): ChangeFeed => ({
  follow: (changes) => follow(pool, changes, signal),
});

async function* follow(pool: Pool, changes: FollowedChanges, signal?: AbortSignal) {
  const whose = [changes.owner, changes.campaign];
  let position: string | null = null;
  // On a standby, a look may find again what the one before it found, or what was committed before the first.
  let seen = new Set<number>();
  // The changes of the past and the first position are of one snapshot, so that nothing comes twice or is left out.
  yield* ofOneMoment(pool, signal, async function* (client) {
    const first = await lookAt(client, null);
    position = first.position;
    if (first.onStandby) seen = new Set((await lookAt(client, position)).numbers());
    yield { lookedAt: first.lookedAt };
    yield* cursorRows<HistoryEntry>(client, since, [changes.since, ...whose, changes.after]);
  });
  const client = await connectTo(pool);
  // Why the connection ended, which the next statement does not say.
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost ??= error;
  });
  try {
    for (;;) {
      await pause(betweenLooks, undefined, { signal });
      const { lookedAt, onStandby, parts, numbers, ...next } = await lookAt(client, position);
      yield { lookedAt };
      for (const part of parts) {
        const unseen = numbersIn(part).filter((number) => !seen.has(number));
        if (unseen.length > 0) yield* await answerOf<HistoryEntry>(client, byNumber, [unseen, ...whose]);
      }
      seen = new Set(onStandby ? numbers() : []);
      position = next.position ?? position;
    }
  } catch (error) {
    throw lost ? portFault(lost) : error;
  } finally {
    client.release(true);
  }
}

/** @throws Unavailable also when the position is of another server, or of this one before its start */
async function lookAt(client: PoolClient, position: string | null) {
  const found = await answerOf<Look & { numbers: string | null }>(client, look, [position]).catch((error) => {
    throw isInvalidValue(error) ? gone('its server was started again, or is another') : error;
  });
  const parts = found.flatMap(({ numbers }) => numbers ?? []).filter((numbers) => numbers !== '{NULL}');
  return { ...(found[0] as Look), parts, numbers: () => parts.flatMap(numbersIn) };
}

type Look = { lookedAt: HistoryEntry['changedAt']; onStandby: boolean; position: string | null };

/** Of an array in PostgreSQL's text form. */
const numbersIn = (part: string) => part.slice(1, -1).split(',').map(Number);

async function answerOf<Row extends QueryResultRow>(client: PoolClient, text: string, values: unknown[]) {
  const rows = await withTimeLimit(longestLook, rowsOf<Row>(client, text, values));
  if (!rows) throw gone(`no answer within ${longestLook / 1_000} s`);
  return rows;
}

const gone = (why: string) => new Unavailable('the feed ended', { cause: new Error(why) });
