import type { TestDatabase } from '../../support/database/database-server.ts';
import type { Update } from './asked-update.ts';

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

/** What is stored, from look to look. */
export class Stored {
  readonly #database: TestDatabase;
  readonly #campaigns: readonly number[];
  #last = 0;
  #addresses: Record<string, string> | undefined;
  #others = '';

  /** Takes what is there for what there is to be. */
  static async open(database: TestDatabase, campaigns: readonly number[]): Promise<Stored> {
    const stored = new Stored(database, campaigns);
    await stored.news();
    return stored;
  }

  private constructor(database: TestDatabase, campaigns: readonly number[]) {
    this.#database = database;
    this.#campaigns = campaigns;
  }

  /** The rows that are new. @throws where the mirrors are not as the history has them, or something else has changed */
  async news(): Promise<Row[]> {
    const { rows: found } = await this.#database.admin.query(looked, [this.#last, this.#campaigns]);
    const { rows, mirrors, others } = found[0] as {
      rows: (Row & { id: number })[];
      mirrors: Record<string, string>;
      others: string;
    };
    const before = this.#addresses;
    const now = { ...before };
    for (const { campaign, address } of rows) now[campaign] = address;
    this.#last = rows.at(-1)?.id ?? this.#last;
    this.#addresses = mirrors;
    const hadOthers = this.#others;
    this.#others = others;
    if (before && JSON.stringify(now) !== JSON.stringify(mirrors))
      throw new Error(`the mirrors are ${JSON.stringify(mirrors)}, by the history ${JSON.stringify(now)}`);
    if (before && hadOthers !== others) throw new Error('something has changed that no caller may change');
    return rows;
  }
}
