import type { TestDatabase } from '../database/database-server.ts';
import { before } from './world.ts';

/** Whoever writes mirrors without a history in a test, writes addresses that begin like this. */
export const rivalAddress = 'https://example.com/rival';

/**
 * What is wrong with the histories: an address before that is neither the one after of the change before nor a
 * rival's, a time that does not rise, a mirror that is not where its history ends. Nothing, when all is well.
 */
export async function disagreements(database: TestDatabase): Promise<unknown[]> {
  const { rows } = await database.admin.query(
    `with chained as (
       select campaign_id, id, address_before, address_after, changed_at, lag(address_after) over chain as after_before,
         lag(changed_at) over chain as earlier, lead(id) over chain is null as is_last
       from campaign_mirror.mirror_history window chain as (partition by campaign_id order by id)
     )
     select campaign_id, id, 'breaks the chain' as what from chained
       where address_before <> coalesce(after_before, $1) and not starts_with(address_before, $2)
     union all select campaign_id, id, 'is not later' from chained where changed_at <= earlier
     union all select mirrors.campaign_id, chained.id, 'is not where the mirror is'
       from campaign_mirror.mirrors left join chained on chained.campaign_id = mirrors.campaign_id and is_last
       where target_url <> coalesce(address_after, $1) and not starts_with(target_url, $2)`,
    [before, rivalAddress],
  );
  return rows;
}
