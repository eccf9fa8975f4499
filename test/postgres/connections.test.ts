import { mock } from 'node:test';
import {
  backupOf,
  openDatabase,
  PostgresAccessKeys,
  PostgresCampaignExport,
  PostgresSettings,
  restoreBackup,
} from '@campaign-mirror/adapters-persistence';
import { within } from '@campaign-mirror/adapters-persistence/sql';
import { displayedPart, type OwnerId, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { stoppable } from '../../packages/adapters-persistence/src/connection/stoppable.ts';
import { errorFields } from '../../packages/app/src/logging/error-fields.ts';
import { freshDatabase } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { eventually } from '../support/eventually.ts';
import { rejection } from '../support/faults.ts';
import { databaseOf } from '../support/process/lives.ts';
import { named, tester } from '../support/store/operator.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import { newOwner } from '../support/store/world.ts';
import { linesOf } from './import-lines.ts';

describe('connections to the database', () => {
  const database = databaseOf('test');
  const sessions = async (pid: number) =>
    (await database.admin.query('select from pg_stat_activity where pid = $1', [pid])).rowCount;

  it('close ends the pool, also one that MikroORM never used, and cuts off what is under way when its patience ends', async () => {
    const { pool, close } = await openDatabase(database.address('service'));
    const holder = await rival(database);
    await holder.run('lock table campaign_mirror.mirrors in access exclusive mode');
    const cut = rejection(pool.query('select id from campaign_mirror.mirrors'));
    await untilWaiting(database, cut);
    expect(await close(0)).to.equal(false);
    expect(await cut).to.have.property('message', 'Connection terminated');
    expect(pool.ended).to.equal(true);
    await holder.rollback();
  });

  it('a fault of ours is not taken for a database that is away, and its values stay out of the log', async () => {
    const { orm, close } = await openDatabase(database.address('operator'));
    const tooLarge = (2 ** 53) as OwnerId;
    const keys = new PostgresAccessKeys(orm, tester);
    const error = (await rejection(keys.issue({ owner: tooLarge, name: named('MARKED') }))) as Error;
    expect(error).to.have.property('code', '23514').and.not.to.be.instanceOf(Unavailable);
    expect(error.message, 'the driver tells').to.include('MARKED');
    expect(JSON.stringify(errorFields(error))).not.to.include('MARKED');

    // An identifier that was taken by hand is no second default campaign.
    await database.admin.query('insert into campaign_mirror.campaigns (id, owner_id) values (1, 2)');
    const create = () =>
      new PostgresSettings(orm, tester).createCampaign({ owner: 1 as OwnerId, isDefault: true });
    expect(await rejection(create())).to.have.property('constraint', 'campaigns_pkey');
    expect((await create()).kind).to.equal('created');
    await close();
  });

  it('a signal between two statements ends the connection at once, and its transaction; one that comes later nothing', async () => {
    const { pool, close } = await openDatabase(database.address('operator'));
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const asked = new Error('asked to stop');
    const later = new AbortController();
    expect(await stoppable(later.signal, pool, client, async () => 'done')).to.equal('done');
    const queries = mock.method(pool, 'query');
    later.abort(asked);
    expect(queries.mock.callCount()).to.equal(0);
    queries.mock.restore();
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    const outcome = stoppable(stop.signal, pool, client, async () => {
      await client.query('begin; insert into campaign_mirror.campaigns (owner_id) values (1)');
      stop.abort(asked);
      await ended.promise;
      return client.query('commit');
    });
    const over = rejection(outcome);
    await eventually('the session to end', async () =>
      expect(await sessions(rows[0].pid)).to.equal(0),
    ).finally(ended.resolve);
    expect(await over).to.equal(asked);
    client.release(true);
    await close();
    expect((await database.admin.query('select from campaign_mirror.campaigns')).rowCount).to.equal(0);
  });

  it('no time limit of the database ends an import, or an export', async () => {
    const { admin, name } = database;
    const { rows } = await admin.query(
      "select name from pg_settings where name ~ '^((idle_in_)?transaction(_session)?|statement|lock)_timeout$'",
    );
    for (const { name: limit } of rows) await admin.query(`alter database ${name} set ${limit} = '100ms'`);
    const world = await postgresWorld(database);
    const longer = () =>
      eventually('a transaction beyond the limits', async () => {
        const old = `select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and clock_timestamp() - xact_start > interval '250 ms'`;
        expect((await admin.query(old)).rowCount).not.to.equal(0);
      });
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
    await world.close();
  });

  it('a stopped export ends its own process of the server alone, also behind a pooler: it asks for that in the transaction', async () => {
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

  it('a backup is of one moment: what is committed before each of its tables is not in it, and it can be restored', async () => {
    const target = await freshDatabase();
    const from = await openDatabase(database.address('operator'));
    const to = await openDatabase(target.address('operator'));
    const oneMore = () =>
      database.admin.query(`
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
    await oneMore();
    const said = new Set<number>();
    const backup: Buffer[] = [];
    let tables = 0;
    for await (const bytes of backupOf(from.pool, undefined, (_, all) => void said.add(all))) {
      backup.push(bytes);
      if (!bytes.includes('{"table"')) continue;
      tables += 1;
      await oneMore();
    }
    expect({ tables, said: [...said] }).to.deep.equal({ tables: 5, said: [5] });
    async function* contents() {
      yield* backup;
    }
    const restored = await restoreBackup(to.pool, tester, { source: 'backup', bytes: contents() });
    const rows = { campaigns: 1, mirrors: 1, access_keys: 1, mirror_history: 1, operator_audit: 1 };
    expect(restored).to.deep.equal(rows);
    await from.close();
    await to.close();
  });

  it('of a key, times are by the clock of the database, whatever our own says; ten characters are kept for display', async () => {
    const world = await postgresWorld(database);
    const now = Date.now;
    mock.method(Date, 'now', () => now() + 365 * 24 * 3600 * 1000);
    const asked = { owner: newOwner(), name: named('key'), expiresIn: 3600.5 };
    const { id, key } = await world.accessKeys.issue(asked);
    expect(await world.identity.whoIs(key)).not.to.equal(undefined);
    await world.accessKeys.revoke(id);
    mock.restoreAll();
    await world.close();
    const { rows } = await database.admin.query(
      `select displayed, abs(extract(epoch from created_at - clock_timestamp())) < 600 as created,
         extract(epoch from expires_at - created_at) = 3600.5 as expires,
         revoked_at between created_at and clock_timestamp() as revoked
       from campaign_mirror.access_keys where id = $1`,
      [id],
    );
    expect(rows).to.deep.equal([
      { displayed: displayedPart(key), created: true, expires: true, revoked: true },
    ]);
  });

  it('what is waited for in bounded time: its result, its fault, or what stands for it, and no timer is left', async () => {
    const [begun, cleared] = [mock.method(globalThis, 'setTimeout'), mock.method(globalThis, 'clearTimeout')];
    const hour = 3_600_001;
    expect(await within(hour, Promise.resolve('done'), 'late')).to.equal('done');
    const fault = new Error('it failed');
    expect(await rejection(within(hour, Promise.reject(fault)))).to.equal(fault);
    expect(await within(1, new Promise(() => {}), 'late')).to.equal('late');
    mock.restoreAll();
    const timers = begun.mock.calls.filter((call) => call.arguments[1] === hour).map(({ result }) => result);
    expect(timers).to.have.length(2);
    expect(cleared.mock.calls.map((call) => call.arguments[0])).to.include.members(timers);
  });
});
