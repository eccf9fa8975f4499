import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type HistoryEntry, Unavailable } from '@campaign-mirror/domain';
import {
  type CampaignRepositoryWorld,
  campaignRepositoryCases,
  missing,
} from '@campaign-mirror/port-contracts';
import { later, mirrorIn, SqliteCampaigns, schema } from './campaigns.ts';

/** `ends` has the end of each next statement: `break` fails before the statement, `lose` after it. */
class BreakingDatabase extends DatabaseSync {
  ends: ('go on' | 'break' | 'lose')[] = [];
  #statement<T>(run: () => T): T {
    const how = this.ends.shift();
    if (how === 'break') throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
    const result = run();
    if (how === 'lose') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    return result;
  }
  override exec = (text: string) => this.#statement(() => super.exec(text));
  override prepare = (text: string) => this.#statement(() => super.prepare(text));
}

const database = new BreakingDatabase(':memory:');
database.exec(schema);
const run = async (text: string, ...values: (string | number)[]) => database.prepare(text).run(...values);

/** The acts of others on the store, its content, and its failures. */
const world: CampaignRepositoryWorld = {
  campaigns: new SqliteCampaigns(database),
  others: {
    createCampaign: async (owner) => {
      const { lastInsertRowid } = await run(
        'insert into campaigns (owner_id, is_default) values (?, 0)',
        owner,
      );
      return Number(lastInsertRowid) as never;
    },
    createMirror: (id, url, clicks) => {
      const now = later();
      const columns = 'campaign_id, target_url, clicks, created_at, updated_at';
      return run(`insert into mirrors (${columns}) values (?, ?, ?, ?, ?)`, id, url, clicks, now, now);
    },
    transfer: (id, to) => run('update campaigns set owner_id = ? where id = ?', to, id),
    setDefault: (id, isDefault) => run('update campaigns set is_default = ? where id = ?', +isDefault, id),
    deleteMirror: (id) => run('delete from mirrors where campaign_id = ?', id),
    // No other statement runs between these two, because neither waits.
    deleteCampaign: (id) =>
      Promise.all([
        run('delete from mirrors where campaign_id = ?', id),
        run('delete from campaigns where id = ?', id),
      ]),
    countClick: (id) => run('update mirrors set clicks = clicks + 1 where campaign_id = ?', id),
    setUpdatedAt: (id, time) => run('update mirrors set updated_at = ? where campaign_id = ?', time, id),
    mirror: async (id) => mirrorIn(database, id),
    history: async (id) => {
      const text = `select id, campaign_id as campaignId, mirror_id as mirrorId, subject, owner_id as ownerId,
        address_before as addressBefore, address_after as addressAfter, changed_at as changedAt, request_id as requestId
        from history where campaign_id = ? order by id`;
      return database.prepare(text).all(id) as unknown as HistoryEntry[];
    },
  },
  // A call does not wait between its statements: all acts of others run before the call.
  steps: async (call, before) => {
    for (let step = 0; step < 8; step++) database.ends.push(await before(step));
    return call().finally(() => {
      database.ends = [];
    });
  },
};

for (const promise of campaignRepositoryCases) {
  const lacking = missing(promise, world);
  test(promise.name, { skip: lacking ? `not applicable: no ${lacking}` : false }, () => promise.run(world));
}

test('another writer is Unavailable until it ends; a fault of the program never is', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'campaigns.db');
  const [own, other] = [new DatabaseSync(file), new DatabaseSync(file)];
  own.exec(schema);
  const campaigns = new SqliteCampaigns(own);
  const set = () => campaigns.setMirror({ id: 1 } as never, { key: undefined } as never);
  other.exec('begin immediate');
  await assert.rejects(set(), Unavailable);
  other.exec('commit');
  assert.deepEqual(await set(), { kind: 'campaign-differs', campaign: undefined });
  other.exec('drop table mirrors');
  await assert.rejects(set(), /no such table/);
  assert.equal(own.isTransaction, false);
});
