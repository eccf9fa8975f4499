import { migrate } from '@campaign-mirror/adapters-persistence';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Client } from 'pg';
import { connect } from '../support/database/client.ts';
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
      const client = await connect(primary.address('postgres'));
      await client.query(filling(sessions + moved));
      await client.end();
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
  /** Writers, each on a connection of its own, and the numbers of what they have committed. */
  async function writers() {
    const committed: string[] = [];
    const all = [];
    for (let campaign = 1; campaign <= sessions; campaign++)
      all.push(writer(await client(), campaign, (ids) => void committed.push(...ids)));
    return { all, committed };
  }

  it(`after each step each look has all that was committed, on the primary once (seed ${seed})`, async () => {
    const { all, committed } = await writers();
    const primary = await reader(await client());
    const standby = await reader(await client(stage.standby));
    const steps = fc.array(fc.record({ by: fc.nat(sessions), roll: fc.nat(99) }), {
      minLength: 300,
      maxLength: 300,
    });
    const look = async () => {
      await stage.caughtUp();
      for (const one of [primary, standby]) {
        await one.look();
        expect(one.missed(committed)).to.deep.equal([]);
      }
    };
    for (const { by, roll } of fc.sample(steps, { seed, numRuns: 1 })[0] ?? []) {
      await (by === sessions ? look() : all[by]?.step(roll));
    }
    for (const one of all) await one.finish();
    await look();
    expect(committed.length).to.be.above(20);
    expect(primary.twice()).to.equal(0);
    expect(new Set(standby.seen)).to.deep.equal(new Set(primary.seen));
  });

  it('under load, with a move under way: nothing is missed, on the primary nothing comes twice', async () => {
    const { all } = await writers();
    const mover = await client();
    const readers = [await reader(await client()), await reader(await client(stage.standby))];
    const from = (await mover.query('select max(id) as id from campaign_mirror.mirror_history')).rows[0].id;
    let ended = false;
    const looking = readers.map(async (one) => {
      while (!ended) await one.look();
    });
    const rolls = fc.sample(fc.array(fc.nat(99), { minLength: 200, maxLength: 200 }), {
      seed,
      numRuns: sessions,
    });
    const writing = all.map(async (one, at) => {
      for (const roll of rolls[at] ?? []) await one.step(roll);
      await one.finish();
    });
    for (let part = 0; part < 20; part++) await mover.query(moveText, [sessions]);
    await Promise.all(writing);
    await stage.caughtUp();
    ended = true;
    await Promise.all(looking);
    for (const one of readers) await one.look();
    const { rows } = await mover.query('select id from campaign_mirror.mirror_history where id > $1', [from]);
    const committed = rows.map(({ id }) => id);
    expect(committed.length).to.be.above(20 * moved);
    for (const one of readers) expect(one.missed(committed)).to.deep.equal([]);
    expect(readers[0]?.twice()).to.equal(0);
  });

  it('a position that is not of this server, as it runs, is refused in one sentence, and null gives one', async () => {
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
    for (const refused of [
      ...['', ' ', 'x', '1/primary/abc', '0', '-1', 'null', `${server}`, `${server}/${place}`, snapshot],
      ...[ahead, standby, old, `${position}/`, ` ${position}`, position.replace('primary', 'Primary')],
      ...'abc  1 9:3: 3:9:7,5 3:9:12 0:0: -1:3: 99999999999999999999:99999999999999999999:'
        .split(' ')
        .map((text) => `${server}/${place}/${text}`),
    ]) {
      const fault = await rejection(one.query('select from campaign_mirror.changes_since($1)', [refused]));
      expect(fault, refused).to.include({
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

  it('a reset of statistics, which looks like a crash, ends no position on the connection that got it', async () => {
    const { all, committed } = await writers();
    const [one, standby] = [await client(), await client(stage.standby)];
    const readers = [await reader(one), await reader(standby)];
    for (const roll of [0, 70]) await all[0]?.step(roll);
    for (const server of [one, standby]) await server.query("select pg_stat_reset_shared('bgwriter')");
    await stage.caughtUp();
    for (const reading of readers) {
      await reading.look();
      expect(reading.missed(committed)).to.deep.equal([]);
    }
  });

  it('after a crash of a backend, and after a restart, positions of before are refused; a new one is of use', async () => {
    const positionOf = async (one: Client) => (await one.query(feed, [null])).rows[0].position;
    const killed = await client();
    const before = await positionOf(killed);
    const { rows } = await killed.query('select pg_backend_pid() as pid');
    // The server ends all others before it recovers.
    const other = await client();
    const ended = new Promise<void>((resolve) => other.once('end', resolve));
    sendSignal(rows[0].pid, 'SIGKILL');
    await ended;
    const after = await eventually('the server has recovered', () =>
      client().catch(() => expect.fail('not yet')),
    );
    // Numbers go beyond those of before, which alone would not be refused.
    for (let count = 0; count < 5; count++) await after.query('select pg_current_xact_id()');
    expect(await rejection(after.query(feed, [before]))).to.have.property('code', '22023');
    const recovered = await positionOf(after);
    expect((await after.query(feed, [recovered])).rows[0].ids).to.equal(null);
    await stage.primary.stop();
    await stage.primary.start();
    const restarted = await client();
    expect(await rejection(restarted.query(feed, [recovered]))).to.have.property('code', '22023');
  });

  it('a standby is promoted: what was prepared before, and committed on it, comes to who looked at the standby', async () => {
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
    await ours.look();
    const { rows } = await standby.query(
      'select max(id) as id from campaign_mirror.mirror_history where campaign_id = 1',
    );
    expect(committed).not.to.include(rows[0].id);
    expect(ours.missed([rows[0].id])).to.deep.equal([]);
  });
});
