import type { TestDatabase } from '../../support/database/database-server.ts';
import type { Update } from './judge.ts';

/** An update that is in the history. */
export interface Row extends Update {
  readonly requestId: string;
}

/** All that callers can change, or can not, at one moment. */
const looked = `
  select
    (select coalesce(json_agg(json_build_object('id', id, 'campaign', campaign_id, 'address', address_after,
      'requestId', request_id) order by id), '[]') from campaign_mirror.mirror_history
      where campaign_id = any ($2) and id > $1) as rows,
    (select coalesce(json_object_agg(campaign_id, target_url), '{}') from campaign_mirror.mirrors) as mirrors,
    md5(concat(
      (select json_agg(c order by id) from campaign_mirror.campaigns c),
      (select json_agg(json_build_object('id', id, 'hash', hash, 'owner', owner_id, 'ends', expires_at, 'revoked', revoked_at)
        order by id) from campaign_mirror.access_keys k),
      (select json_agg(json_build_object('id', id, 'clicks', clicks, 'made', created_at) order by id)
        from campaign_mirror.mirrors m),
      (select count(*) from campaign_mirror.operator_audit))) as others`;

/** What is stored, from look to look. Takes what is there for what there is to be. */
export async function storedIn(database: TestDatabase, campaigns: readonly number[]) {
  const look = async (after: number) => {
    const { rows } = await database.admin.query(looked, [after, campaigns]);
    return rows[0] as { rows: (Row & { id: number })[]; mirrors: Record<string, string>; others: string };
  };
  let before = await look(0);
  let last = before.rows.at(-1)?.id ?? 0;
  /** The rows that are new. @throws where the mirrors are not as the history has them, or something else has changed */
  const news = async (): Promise<Row[]> => {
    const now = await look(last);
    const expected = { ...before.mirrors };
    for (const { campaign, address } of now.rows) expected[campaign] = address;
    const { others } = before;
    last = now.rows.at(-1)?.id ?? last;
    before = now;
    const [by, are] = [expected, now.mirrors].map((mirrors) => JSON.stringify(mirrors));
    if (by !== are) throw new Error(`the mirrors are ${are}, by the history ${by}`);
    if (others !== now.others) throw new Error('something has changed that no caller may change');
    return now.rows;
  };
  return { news };
}
