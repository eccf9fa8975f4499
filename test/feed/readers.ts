import { expect } from 'chai';
import type { Client } from 'pg';

/** A text that takes the last position and gives one row: the next position, and the numbers of the changes since. */
interface Form {
  readonly first: string | null;
  readonly text: string;
}

export const feed: Form = {
  first: null,
  text: `select max(position) as position, array_remove(array_agg(change_id), null) as ids
    from campaign_mirror.changes_since($1)`,
};

const history = 'from campaign_mirror.mirror_history';
const snapshot = 'pg_current_snapshot()';

/** What others use as a feed, and what is wrong with each. */
export const wrong = {
  /** A number is taken before the commit. */
  numbers: {
    first: '0',
    text: `select coalesce(max(id), 0) as position, array_agg(id) filter (where id > $1::bigint) as ids ${history}`,
  },
  /** A transaction that runs may lie below it. */
  xmax: {
    first: '0',
    text: `select pg_snapshot_xmax(${snapshot})::text as position,
      array(select id ${history} where transaction_id >= $1::xid8) as ids`,
  },
  /** One that runs for long holds back all others. */
  xmin: {
    first: '0',
    text: `select pg_snapshot_xmin(${snapshot})::text as position, array(select id ${history}
      where transaction_id >= $1::xid8 and transaction_id < pg_snapshot_xmin(${snapshot})) as ids`,
  },
  /** As the feed does on a primary: the snapshot of a standby names nobody. */
  exact: {
    first: '1:1:',
    text: `select ${snapshot}::text as position, array(select id ${history}
      where transaction_id >= pg_snapshot_xmax($1::pg_snapshot)
        or transaction_id = any (array(select pg_snapshot_xip($1::pg_snapshot)))) as ids`,
  },
} satisfies Record<string, Form>;

/** Looks again and again, each time from where it was last, and keeps the numbers that it saw. */
export async function reader(client: Client, { first, text }: Form = feed) {
  const seen: string[] = [];
  const one = {
    position: first,
    seen,
    look: async (): Promise<void> => {
      const { rows } = await client.query(text, [one.position]);
      // Nothing new: no row, and the position stays.
      one.position = rows[0].position ?? one.position;
      const ids: string[] = rows[0].ids ?? [];
      if (text === feed.text)
        expect(ids, 'in their order').to.deep.equal(ids.toSorted((a, b) => Number(a) - Number(b)));
      seen.push(...ids);
    },
    missed: (committed: readonly string[]) => committed.filter((id) => !seen.includes(id)),
    twice: () => seen.length - new Set(seen).size,
  };
  await one.look();
  return one;
}
