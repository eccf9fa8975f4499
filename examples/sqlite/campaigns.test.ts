import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { HistoryEntry } from '@campaign-mirror/domain';
import {
  type CampaignRepositoryWorld,
  campaignRepositoryCases,
  missing,
} from '@campaign-mirror/port-contracts';
import { later, mirrorIn, SqliteCampaigns, schema } from './campaigns.ts';

const database = new DatabaseSync(':memory:');
database.exec(schema);
const run = async (text: string, ...values: (string | number)[]) => database.prepare(text).run(...values);

/** What others do to the store, and its content. */
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
    createMirror: (id, url) =>
      run(
        'insert into mirrors (campaign_id, target_url, created_at, updated_at) values (?, ?, ?, ?)',
        id,
        url,
        later(),
        later(),
      ),
    transfer: (id, to) => run('update campaigns set owner_id = ? where id = ?', to, id),
    setDefault: (id, isDefault) => run('update campaigns set is_default = ? where id = ?', +isDefault, id),
    deleteMirror: (id) => run('delete from mirrors where campaign_id = ?', id),
    // Both statements run before any other, as in a transaction, since neither waits.
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
};

for (const promise of campaignRepositoryCases) {
  const lacking = missing(promise, world);
  test(promise.name, { skip: lacking ? `not applicable: no ${lacking}` : false }, () => promise.run(world));
}
