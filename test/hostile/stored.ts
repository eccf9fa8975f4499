import type { TestDatabase } from '../support/database/database-server.ts';
import type { Judged, Update } from './judge.ts';

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

/** Looks at what is stored: resolves with a function for what is new in the history since the last look. */
export async function storedIn(database: TestDatabase, campaigns: readonly number[]) {
  let last = 0;
  const look = async () => {
    const { rows } = await database.admin.query(looked, [last, campaigns]);
    const [now] = rows as {
      rows: (Update & { id: number })[];
      mirrors: Record<string, string>;
      others: string;
    }[];
    last = now?.rows.at(-1)?.id ?? last;
    return now ?? { rows: [], mirrors: {}, others: '' };
  };
  let before = await look();
  /** @throws where the mirrors are not as the history has them, or something else has changed */
  return async (): Promise<readonly Update[]> => {
    const expected = { ...before.mirrors };
    const { others } = before;
    before = await look();
    for (const { campaign, address } of before.rows) expected[campaign] = address;
    const [by, are] = [expected, before.mirrors].map((mirrors) => JSON.stringify(mirrors));
    if (by !== are) throw new Error(`the mirrors are ${are}, by the history ${by}`);
    if (others !== before.others) throw new Error('something has changed that no caller may change');
    return before.rows;
  };
}

/** Compares what was acknowledged with what is stored. */
export class Accounts {
  /** Updates that may be stored, now or later on: nobody was told. */
  readonly unknown: Update[] = [];

  /** @throws where an acknowledged update is not stored, or another one is */
  check(judged: readonly Judged[], stored: readonly Update[]): void {
    this.unknown.push(...judged.flatMap(({ unknown }) => unknown));
    const left = [...stored];
    for (const one of judged.flatMap(({ acknowledged }) => acknowledged))
      if (!isTaken(left, (row) => isSame(row, one) && row.requestId === one.requestId))
        throw new Error(`answered with 200 and not stored: ${JSON.stringify(one)}`);
    for (const row of left)
      if (!isTaken(this.unknown, (one) => isSame(row, one)))
        throw new Error(`stored without a 200: ${JSON.stringify(row)}`);
  }
}

const isSame = (one: Update, other: Update) =>
  one.campaign === other.campaign && one.address === other.address;

function isTaken(from: Update[], matches: (one: Update) => boolean): boolean {
  const at = from.findIndex(matches);
  if (at !== -1) from.splice(at, 1);
  return at !== -1;
}
