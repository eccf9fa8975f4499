import { migrate } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import type { Client } from 'pg';
import { Random } from '../history/workload/known.ts';
import { connect, query } from '../support/database/client.ts';
import type { DedicatedServer } from '../support/database/dedicated-server.ts';
import { type Replicated, replicated } from '../support/database/standby.ts';
import { eventually, rejection } from '../support/promises.ts';
import { sendSignal } from '../support/run-folder.ts';
import { seed } from '../support/seed.ts';
import { feed, reader } from './readers.ts';
import { filling, moveText, writer } from './writers.ts';

const sessions = 6;
const moved = 40;

describe('the feed of changes, on a primary and its standby', () => {
  let stage: Replicated;
  const open = new Set<Client>();
  before(async () => {
    stage = await replicated(async (primary) => {
      await migrate(primary.address('postgres'));
      await query(primary.address('postgres'), filling(sessions + moved));
    });
  });
  after(() => stage?.remove());
  afterEach(async () => {
    for (const client of open) await client.end();
    open.clear();
  });

  async function client(server: DedicatedServer = stage.primary): Promise<Client> {
    const one = await connect(server.address('postgres'));
    open.add(one);
    return one;
  }
  /** Writers, and the numbers of the changes that they committed. */
  async function writers() {
    const committed: string[] = [];
    const all = [];
    for (let campaign = 1; campaign <= sessions; campaign++)
      all.push(writer(await client(), campaign, (ids) => void committed.push(...ids)));
    return { all, committed };
  }

  it(`each poll has all changes that were committed before it, on the primary once (SEED=${seed})`, async () => {
    const { all, committed } = await writers();
    const primary = await reader(await client());
    const standby = await reader(await client(stage.standby));
    const poll = async () => {
      await stage.caughtUp();
      for (const one of [primary, standby]) {
        await one.poll();
        expect(one.missed(committed)).to.deep.equal([]);
      }
    };
    const random = new Random(seed);
    for (let step = 0; step < 300; step++) {
      const by = random.below(sessions + 1);
      await (by === sessions ? poll() : all[by]?.step(random.below(100)));
    }
    for (const one of all) await one.finish();
    await poll();
    expect(committed.length).to.be.above(20);
    expect(primary.twice()).to.equal(0);
    expect(new Set(standby.seen)).to.deep.equal(new Set(primary.seen));
  });

  it('nothing is missed under load and during a move, and nothing comes twice on the primary', async () => {
    const { all } = await writers();
    const mover = await client();
    const readers = [await reader(await client()), await reader(await client(stage.standby))];
    const from = (await mover.query('select max(id) as id from campaign_mirror.mirror_history')).rows[0].id;
    let ended = false;
    const polling = readers.map(async (one) => {
      while (!ended) await one.poll();
    });
    const writing = all.map(async (one, nth) => {
      const random = new Random(seed + nth);
      for (let step = 0; step < 200; step++) await one.step(random.below(100));
      await one.finish();
    });
    for (let part = 0; part < 20; part++) await mover.query(moveText, [sessions]);
    await Promise.all(writing);
    await stage.caughtUp();
    ended = true;
    await Promise.all(polling);
    for (const one of readers) await one.poll();
    const { rows } = await mover.query('select id from campaign_mirror.mirror_history where id > $1', [from]);
    const committed = rows.map(({ id }) => id);
    expect(committed.length).to.be.above(20 * moved);
    for (const one of readers) expect(one.missed(committed)).to.deep.equal([]);
    expect(readers[0]?.twice()).to.equal(0);
  });

  it('null gives a position; a position of another server or start is refused', async () => {
    const one = await client();
    const { rows } = await one.query('select * from campaign_mirror.changes_since(null)');
    expect(rows).to.have.length(1);
    const { position, ...change } = rows[0];
    expect(new Set(Object.values(change))).to.deep.equal(new Set([null]));
    expect((await one.query('select from campaign_mirror.changes_since($1)', [position])).rowCount).to.equal(
      0,
    );
    const [server, place, snapshot] = position.split('/');
    const [, xmax] = snapshot.split(':');
    const ahead = `${server}/${place}/${xmax}:${Number(xmax) + 1}:`;
    const standby = (await (await client(stage.standby)).query(feed, [null])).rows[0].position;
    const old = `1700000000.123456,0/primary/${snapshot}`;
    const refused = ['', 'x', '1/primary/abc', snapshot, `${server}/${place}/3:9:12`, `${position}/`];
    for (const text of [...refused, ahead, standby, old]) {
      const fault = await rejection(one.query('select from campaign_mirror.changes_since($1)', [text]));
      expect(fault, text).to.include({
        code: '22023',
        message:
          'this position is of another server, or of this one before its last start or reset of statistics',
        hint: 'Ask for a new position with null, and read again what you keep.',
      });
    }
    await one.query('begin; insert into campaign_mirror.campaigns (owner_id) values (8)');
    const late = await rejection(one.query('select from campaign_mirror.changes_since(null)'));
    expect(late).to.include({ code: '25000', message: 'this transaction has already written' });
    await one.query('rollback');
  });

  it('after the crash of a backend, and after a restart, earlier positions are refused', async () => {
    const positionOf = async (one: Client) => (await one.query(feed, [null])).rows[0].position;
    const killed = await client();
    const before = await positionOf(killed);
    const { rows } = await killed.query('select pg_backend_pid() as pid');
    // The server ends all other sessions before it recovers.
    const other = await client();
    const ended = new Promise<void>((resolve) => other.once('end', resolve));
    sendSignal(rows[0].pid, 'SIGKILL');
    await ended;
    const after = await eventually('the server has recovered', () =>
      client().catch(() => expect.fail('not yet')),
    );
    // Transaction numbers go beyond the earlier ones, which are therefore not refused for their size.
    for (let count = 0; count < 5; count++) await after.query('select pg_current_xact_id()');
    expect(await rejection(after.query(feed, [before]))).to.have.property('code', '22023');
    const recovered = await positionOf(after);
    expect((await after.query(feed, [recovered])).rows[0].ids).to.equal(null);
    await stage.primary.stop();
    await stage.primary.start();
    expect(await rejection((await client()).query(feed, [recovered]))).to.have.property('code', '22023');
  });

  it('a reader of a standby gets what was prepared before its promotion and committed afterwards', async () => {
    const { all, committed } = await writers();
    const [prepared, other] = all;
    for (const roll of [0, 45]) await prepared?.step(roll);
    for (const roll of [0, 70]) await other?.step(roll);
    await stage.caughtUp();
    const standby = await client(stage.standby);
    const ours = await reader(standby);
    await stage.primary.stop();
    await stage.promote();
    await standby.query("commit prepared 'writer 1'");
    await ours.poll();
    const { rows } = await standby.query(
      'select max(id) as id from campaign_mirror.mirror_history where campaign_id = 1',
    );
    expect(committed).not.to.include(rows[0].id);
    expect(ours.missed([rows[0].id])).to.deep.equal([]);
  });
});
