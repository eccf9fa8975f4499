import { PostgresCampaignExport } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { eventually } from '../support/eventually.ts';
import { linesOf } from '../support/store/import-lines.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import { newOwner, type World } from '../support/store/world.ts';

describe('what takes its time', () => {
  let database: TestDatabase;
  let world: World;
  before(async () => {
    database = await freshDatabase();
    const { rows } = await database.admin.query(
      "select name from pg_settings where name ~ '^((idle_in_)?transaction(_session)?|statement|lock)_timeout$'",
    );
    for (const { name } of rows) {
      await database.admin.query(`alter database ${database.name} set ${name} = '1s'`);
    }
    world = await postgresWorld(database);
  });
  after(async () => {
    await world.close();
    await database.drop();
  });

  /** Resolves when a transaction of ours has lasted for longer than the database's limits. */
  async function longer(): Promise<void> {
    const old = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and clock_timestamp() - xact_start > interval '1200 ms'`;
    await eventually('a transaction beyond the limits', async () =>
      expect((await database.admin.query(old)).rowCount).not.to.equal(0),
    );
  }

  it('is not ended by any limit that the database has: an import, and then an export', async () => {
    const owner = newOwner();
    async function* slowly() {
      yield* linesOf({ owner_id: String(owner) });
      await longer();
    }
    const outcome = await world.imports.importAll('slow.csv', slowly(), async () => {});
    expect(outcome).to.include({ kind: 'imported', campaigns: 1 });

    let seen = 0;
    for await (const { ownerId } of world.exports.all()) {
      await longer();
      seen = ownerId;
    }
    expect(seen).to.equal(owner);
  });

  it('ends its own process of the server alone, also behind a pooler: that is asked for in the transaction', async () => {
    const asked: string[] = [];
    const query = async (text: string) => {
      asked.push(text);
      return { rows: [], rowCount: 0 };
    };
    const client = { query, on: () => {}, release: () => {} };
    const pool = { connect: async () => client } as unknown as Pool;
    for await (const _ of new PostgresCampaignExport(pool, new AbortController().signal).all());
    const at = (what: string) => asked.findIndex((text) => text.includes(what));
    expect(at('begin')).to.equal(0);
    expect(at('pg_backend_pid')).to.be.greaterThan(0);
  });
});
