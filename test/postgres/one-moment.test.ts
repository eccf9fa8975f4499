import {
  backupOf,
  type Database,
  openDatabase,
  PostgresCampaignExport,
  restoreBackup,
} from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { tester } from '../support/store/operator.ts';

describe('what is read at one moment, whatever others commit meanwhile', () => {
  let source: TestDatabase;
  let target: TestDatabase;
  let from: Database;
  let to: Database;
  beforeEach(async () => {
    source = await freshDatabase();
    target = await freshDatabase();
    from = await openDatabase(source.address('operator'));
    to = await openDatabase(target.address('operator'));
    await oneMore();
  });
  afterEach(async () => {
    await from.close();
    await to.close();
    await source.drop();
    await target.drop();
  });

  it('a backup: what is committed before each of its tables is not in it, and it can be restored', async () => {
    const said = new Set<number>();
    const progress = (_: number, all: number) => void said.add(all);
    const backup: Buffer[] = [];
    let tables = 0;
    for await (const bytes of backupOf(from.pool, undefined, progress)) {
      backup.push(bytes);
      if (!bytes.includes('{"table"')) continue;
      tables += 1;
      await oneMore();
    }
    expect(tables).to.equal(5);
    async function* contents() {
      yield* backup;
    }
    const rows = { campaigns: 1, mirrors: 1, access_keys: 1, mirror_history: 1, operator_audit: 1 };
    const restored = await restoreBackup(to.pool, tester, { source: 'backup', bytes: contents() });
    expect(restored).to.deep.equal(rows);
    expect([...said]).to.deep.equal([5]);
  });

  it('an export: as many campaigns as it said', async () => {
    const interrupted = Object.assign(Object.create(from.pool) as Pool, {
      connect: async () => {
        const client = await from.pool.connect();
        const query = client.query.bind(client) as (asked: unknown) => Promise<unknown>;
        return Object.assign(client, {
          query: async (asked: unknown) => {
            if (String(asked).startsWith('declare')) await oneMore();
            return query(asked);
          },
        });
      },
    });
    const said: number[] = [];
    let taken = 0;
    for await (const _ of new PostgresCampaignExport(interrupted).all((total) => void said.push(total)))
      taken += 1;
    expect({ said, taken }).to.deep.equal({ said: [1], taken: 1 });
    const { rowCount } = await source.admin.query('select from campaign_mirror.campaigns');
    expect(rowCount).to.equal(2);
  });

  /** Commits one of each that is backed up. */
  async function oneMore(): Promise<void> {
    await source.admin.query(`
      with campaign as (
        insert into campaign_mirror.campaigns (owner_id) values (1) returning id
      ), key as (
        insert into campaign_mirror.access_keys (hash, displayed, name, owner_id)
        values (sha256(gen_random_uuid()::text::bytea), 'cm_0123456', 'key', 1)
      ), history as (
        insert into campaign_mirror.mirror_history
          (campaign_id, mirror_id, actor, owner_id, address_before, address_after, changed_at, request_id)
        values (1, 1, 'operator', 1, 'a', 'b', now(), 'r')
      ), audit as (
        insert into campaign_mirror.operator_audit (act, operator, request_id) values ('key-revoked', 'x', 'x')
      )
      insert into campaign_mirror.mirrors (campaign_id, target_url) select id, 'https://example.com/' from campaign`);
  }
});
