import type { DatabaseSync } from 'node:sqlite';
import * as domain from '@campaign-mirror/domain';

export const schema = `
  create table campaigns (id integer primary key autoincrement, owner_id integer not null, is_default integer not null);
  create table mirrors (id integer primary key autoincrement, campaign_id integer not null unique references campaigns,
    target_url text not null, clicks integer not null default 0, updated_externally_at text, created_at text not null,
    updated_at text not null);
  create table history (id integer primary key autoincrement, campaign_id integer not null, mirror_id integer not null,
    subject text not null, owner_id integer not null, address_before text not null, address_after text not null,
    changed_at text not null, request_id text not null);`;

const campaignText = `select campaigns.id, owner_id as ownerId, is_default as isDefault, mirrors.id as mirror
  from campaigns left join mirrors on campaign_id = campaigns.id where campaigns.id = ?`;
const mirrorText = `select id, campaign_id as campaignId, target_url as targetUrl, clicks,
  updated_externally_at as updatedExternallyAt, created_at as createdAt, updated_at as updatedAt
  from mirrors where campaign_id = ?`;
const setText = 'update mirrors set target_url = ?, updated_externally_at = ?, updated_at = ? where id = ?';
const lastChangeText = 'select max(id) as id from history where campaign_id = ?';
const recordText = `insert into history (campaign_id, mirror_id, subject, owner_id, address_before, address_after,
  changed_at, request_id) values (?, ?, ?, ?, ?, ?, ?, ?)`;

/** The codes of errors that may pass: another writer, a lock, a disk that fails or is full. */
const passing = new Set([5, 6, 10, 13]);

/** Campaigns and mirrors in SQLite. There are no access keys: a caller with one is refused. */
export class SqliteCampaigns implements domain.CampaignRepository {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async find(id: domain.CampaignId): Promise<domain.Campaign | undefined> {
    return this.#answering(() => this.#campaign(id));
  }

  async setMirror(seen: domain.Campaign, change: domain.MirrorChange): Promise<domain.SetMirrorResult> {
    if (change.key !== undefined) return { kind: 'caller-invalid' };
    return this.#answering(() => {
      try {
        // From here to the commit nobody else writes: the compared facts still hold at the write.
        this.#database.exec('begin immediate');
        const result = this.#setIfAsSeen(seen, change);
        this.#database.exec('commit');
        return result;
      } catch (error) {
        // SQLite itself rolls back after some errors.
        if (this.#database.isTransaction) this.#database.exec('rollback');
        throw error;
      }
    });
  }

  #setIfAsSeen(
    seen: domain.Campaign,
    { address, by, requestId, lastChange: expected }: domain.MirrorChange,
  ): domain.SetMirrorResult {
    const campaign = this.#campaign(seen.id);
    const before = mirrorIn(this.#database, seen.id);
    const { ownerId, isDefault } = campaign ?? {};
    if (!before || !seen.hasMirror || ownerId !== seen.ownerId || isDefault !== seen.isDefault)
      return { kind: 'campaign-differs', campaign };
    const lastChange = Number(this.#database.prepare(lastChangeText).get(seen.id)?.id ?? 0);
    if (expected !== undefined && expected !== lastChange)
      return { kind: 'condition-failed', mirror: before, lastChange };
    const at = later(before.updatedAt);
    this.#database.prepare(setText).run(address, at, at, before.id);
    const { id, targetUrl } = before;
    const { lastInsertRowid } = this.#database
      .prepare(recordText)
      .run(seen.id, id, by.subject, ownerId, targetUrl, address, at, requestId);
    const mirror = mirrorIn(this.#database, seen.id) as domain.Mirror;
    return { kind: 'mirror-set', mirror, lastChange: Number(lastInsertRowid) as domain.HistoryId };
  }

  #campaign(id: domain.CampaignId): domain.Campaign | undefined {
    const row = this.#database.prepare(campaignText).get(id);
    if (!row) return undefined;
    const { ownerId, isDefault, mirror } = row;
    return { id, ownerId: ownerId as domain.OwnerId, isDefault: isDefault === 1, hasMirror: mirror !== null };
  }

  #answering<T>(act: () => T): T {
    try {
      return act();
    } catch (cause) {
      // The lowest byte of an extended code is the basic code.
      const code = Number((cause as { errcode?: number }).errcode) & 0xff;
      throw passing.has(code) ? new domain.Unavailable('SQLite did not answer', { cause }) : cause;
    }
  }
}

export function mirrorIn(database: DatabaseSync, campaign: domain.CampaignId): domain.Mirror | undefined {
  const row = database.prepare(mirrorText).get(campaign) as domain.Mirror | undefined;
  return row && { ...row, updatedExternally: row.updatedExternallyAt !== null };
}

/** The current time in the form of a `Timestamp`, but at least a microsecond after `last`. */
export function later(last = ''): string {
  const now = `${new Date().toISOString().slice(0, -1)}000Z`;
  if (now > last) return now;
  const microseconds = Number(last.slice(20, 26)) + 1;
  if (microseconds < 1_000_000) return `${last.slice(0, 20)}${String(microseconds).padStart(6, '0')}Z`;
  return `${new Date(Date.parse(last) + 1).toISOString().slice(0, -1)}000Z`;
}
