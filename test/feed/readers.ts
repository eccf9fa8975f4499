import { expect } from 'chai';
import type { Client } from 'pg';

/** The next position, and the numbers of the changes since the last one. Null gives a first position. */
export const feed = `select max(position) as position, array_remove(array_agg(change_id), null) as ids
  from campaign_mirror.changes_since($1)`;

/** Polls from its last position, and keeps the numbers that it saw. */
export async function reader(client: Client) {
  const seen: string[] = [];
  const one = {
    position: null,
    seen,
    poll: async (): Promise<void> => {
      const { rows } = await client.query(feed, [one.position]);
      // Without a new change there is no row, and the position stays.
      one.position = rows[0].position ?? one.position;
      const ids: string[] = rows[0].ids ?? [];
      expect(ids, 'in their order').to.deep.equal(ids.toSorted((a, b) => Number(a) - Number(b)));
      seen.push(...ids);
    },
    missed: (committed: readonly string[]) => committed.filter((id) => !seen.includes(id)),
    twice: () => seen.length - new Set(seen).size,
  };
  await one.poll();
  return one;
}
