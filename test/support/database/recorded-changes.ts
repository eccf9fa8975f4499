import type { ClientBase, Pool } from 'pg';

/** Inserts a row of the history, as `set_mirrors` does. Resolves with its number. */
export async function recordChange(
  database: ClientBase | Pool,
  { campaign = 1, owner = 1, at = null }: { campaign?: number; owner?: number; at?: string | null } = {},
): Promise<number> {
  const { rows } = await (database as Pool).query(
    `insert into campaign_mirror.mirror_history
       (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
     values ($1, $1, 'operator', $2, 'https://before.example/', 'https://after.example/',
       coalesce($3, clock_timestamp()), 'request-1')
     returning id`,
    [campaign, owner, at],
  );
  return Number(rows[0].id);
}

/** Writes changes on several connections until `end`, which resolves with the numbers of the committed ones. */
export function keepWriting(connectOne: () => Promise<ClientBase & { end(): Promise<void> }>, writers = 4) {
  const committed: number[] = [];
  let ends = false;
  const write = async (writer: number) => {
    const client = await connectOne();
    const open: number[] = [];
    for (let turn = 1; !ends || open.length > 0; turn++) {
      if (open.length === 0) await client.query('begin');
      open.push(await recordChange(client, { campaign: writer }));
      // The first writer's transactions are long: other writers commit higher numbers before them.
      if (writer === 1 && turn % 25 !== 0 && !ends) continue;
      const aborts = turn % 7 === 0;
      await client.query(aborts ? 'rollback' : 'commit');
      if (!aborts) committed.push(...open);
      open.length = 0;
    }
    await client.end();
  };
  const all = Promise.all(Array.from({ length: writers }, (_, nth) => write(nth + 1)));
  const end = async (): Promise<number[]> => {
    ends = true;
    await all;
    return committed.sort((one, other) => one - other);
  };
  return { committed, end };
}
