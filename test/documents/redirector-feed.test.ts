import { mock } from 'node:test';
import { migrate, roles } from '@campaign-mirror/adapters-persistence/service';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { commandsOn } from '../support/commands/commands-on.ts';
import { connect } from '../support/database/client.ts';
import { dedicatedServer } from '../support/database/dedicated-server.ts';
import { lockMirror, rival } from '../support/database/rival.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { visitorOf } from '../support/process/redirector.ts';
import { eventually } from '../support/promises.ts';
import { projectFolder } from '../support/workspace.ts';

const { redirector } = await import(`${projectFolder}examples/redirector/redirector.mjs`);

type Way = 'reads' | 'feed' | 'clicks';
type Row = Record<string, unknown>;

const first = 'https://example.com/before';
const second = 'https://second.example/';
const third = 'https://third.example/';

describe('examples/redirector: what is kept of a campaign', () => {
  const stage = redirectorStage();

  it('an address is read once, and again after it changed, by the next visitor', async () => {
    const { target, reads, looked } = await stage.running();
    await looked();
    // More than a second, for which it would be used without a feed.
    for (let round = 0; round < 15; round++) {
      expect(await target()).to.equal(first);
      await looked(10);
    }
    expect(reads).to.deep.equal([stage.one()]);
    await stage.set(second, stage.other());
    await stage.set(second);
    await looked();
    const visits = await Promise.all(Array.from({ length: 50 }, () => target()));
    expect(new Set(visits)).to.deep.equal(new Set([second]));
    expect(reads).to.deep.equal([stage.one(), stage.one()]);
  });

  for (const isLost of [false, true])
    it(`a read that was under way when its campaign changed${isLost ? ' and the feed was lost' : ''} answers those who wait for it, and nobody else`, async () => {
      const { target, looks, looked, hold } = await stage.running({ second: 30_000 });
      await looked();
      const { arrived, release } = hold();
      const early = target();
      await arrived;
      const before = looks.length;
      if (isLost) await stage.ways.feed.refuse();
      await stage.set(second);
      if (isLost) await stage.ways.feed.accept();
      if (isLost) await eventually('the feed', () => expect(looks.indexOf(null, before)).to.be.above(-1));
      await looked();
      expect(await target()).to.equal(second);
      release();
      expect(await early).to.equal(first);
      expect(await target()).to.equal(second);
    });

  it('while the feed hangs, each address is read again after a second', async () => {
    const { target, looked } = await stage.running();
    await looked();
    expect(await target()).to.equal(first);
    stage.ways.feed.freeze();
    for (const address of [second, third]) {
      await stage.set(address);
      await eventually(address, async () => expect(await target()).to.equal(address));
    }
    stage.ways.feed.thaw();
    await looked();
    expect(await target()).to.equal(third);
  });

  it('after a pause in which much may have changed it asks for a new position, and reads what it kept', async () => {
    const { target, looks, looked, reads } = await stage.running({ interval: 100, longestPause: 50 });
    await looked(1);
    expect(await target()).to.equal(first);
    await stage.set(second);
    await eventually('the new address', async () => expect(await target()).to.equal(second));
    expect(new Set(looks)).to.deep.equal(new Set([null]));
    expect(reads.length).to.be.above(1);
  });

  it('/healthz is 503 until a poll was answered, although visitors are sent on', async () => {
    stage.ways.feed.freeze();
    const { target, health, looked } = await stage.running();
    expect(await target()).to.equal(first);
    expect(await health('')).to.deep.equal({ status: 503, last_poll_age_seconds: null });
    expect(await health())
      .to.include({ status: 503 })
      .and.have.property('updated_at')
      .that.is.a('string');
    stage.ways.feed.thaw();
    await looked();
    expect(await health('')).to.include({ status: 200 });
  });

  it('addresses of another server than the feed’s are read every second, and the log says why', async () => {
    const other = await dedicatedServer();
    const { name } = stage.database;
    const run = async (database: string, ...texts: string[]) => {
      const client = await connect(other.address('postgres', database));
      for (const text of texts) await client.query(text);
      await client.end();
    };
    await run('postgres', `create role ${roles.redirector} login`, `create database ${name}`);
    await migrate(other.address('postgres', name));
    await run(
      name,
      `insert into campaign_mirror.campaigns (id, owner_id) overriding system value values (${stage.one()}, 1)`,
      `insert into campaign_mirror.mirrors (campaign_id, target_url) values (${stage.one()}, '${first}')`,
    );
    await stage.ways.reads.close();
    stage.ways.reads = await tcpProxy(other.address(roles.redirector, name));
    const { target, looked, health } = await stage.running();
    await looked();
    await eventually('the log', async () => {
      expect(await target()).to.equal(first);
      expect(stage.log()).to.match(/^several servers answer: READ_DATABASE_URL must lead to one;/m);
    });
    expect(await health(), 'nothing is certain').to.include({ status: 200, updated_at: null });
    // That server hears of it later.
    await stage.set(second);
    await looked();
    expect(await target()).to.equal(first);
    const hearing = `update campaign_mirror.mirrors set target_url = '${second}'`;
    await run(name, 'alter table campaign_mirror.mirrors disable trigger user', hearing);
    await eventually('the new address', async () => expect(await target()).to.equal(second));
    await other.remove();
  });

  it('changes that a standby repeats, beside a transaction that stays open, cost no reads', async () => {
    const { target, reads, looked } = await stage.running({ asStandby: true });
    const writer = await rival(stage.database, lockMirror, stage.other());
    await writer.run(
      'update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = $1',
      stage.other(),
    );
    await looked();
    for (const address of [second, third, first]) {
      expect(await target()).to.be.a('string');
      await stage.set(address);
      await looked();
      for (let visits = 0; visits < 20; visits++) {
        expect(await target()).to.equal(address);
        await looked(1);
      }
    }
    expect(reads.length).to.be.at.most(4);
    await writer.commit();
  });

  it('what no change tells is found by a sweep: a deletion, and an address that its owner wrote', async () => {
    const { target, visit, looked, reads } = await stage.running({ sweep: 50 });
    await looked();
    expect(await target()).to.equal(first);
    expect(await target(stage.other())).to.equal(first);
    const before = reads.length;
    await looked(50);
    expect(reads, 'sweeps that found nothing').to.have.length(before);
    await stage.byHand(
      'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1',
      stage.one(),
      second,
    );
    await stage.byHand('delete from campaign_mirror.campaigns where id = $1', stage.other());
    await eventually('the new address', async () => expect(await target()).to.equal(second));
    await eventually('the deletion', async () => expect((await visit(stage.other())).status).to.equal(404));
  });
});

describe('examples/redirector: clicks', () => {
  const stage = redirectorStage();

  it('clicks on a mirror that is locked are counted later, and the others’ at once: every one, once', async () => {
    const { visit } = await stage.running();
    const holder = await rival(stage.database, lockMirror, stage.one());
    const visits = [stage.one(), stage.other()].flatMap((campaign) =>
      Array.from({ length: 30 }, () => visit(campaign)),
    );
    expect(new Set((await Promise.all(visits)).map(({ status }) => status))).to.deep.equal(new Set([302]));
    await eventually('the others', async () => expect(await stage.clicks(stage.other())).to.equal(30));
    expect(await stage.clicks(stage.one())).to.equal(0);
    await holder.commit();
    await eventually('those on the locked one', async () =>
      expect(await stage.clicks(stage.one())).to.equal(30),
    );
  });
});

/** In a suite: two campaigns, and the example in this process, to see and hold up what it asks of the database. */
function redirectorStage() {
  let ways: Record<Way, TcpProxy>;
  let ends: (() => Promise<unknown>)[];
  let logged: ReturnType<typeof mock.method>;
  // Before the database is dropped.
  afterEach(async () => {
    mock.restoreAll();
    for (const end of ends.reverse()) await end();
    for (const way of Object.values(ways)) await way.close();
  });
  const data = serviceDataOf('test', { campaigns: 2 });
  beforeEach(async () => {
    const way = () => tcpProxy(data.database.address('redirector'));
    ways = { reads: await way(), feed: await way(), clicks: await way() };
    ends = [];
    logged = mock.method(console, 'error', () => {});
  });
  const one = () => data.campaigns[0] as CampaignId;
  const byHand = async (text: string, ...values: unknown[]): Promise<Row[]> =>
    (await data.database.admin.query(text, values)).rows;

  function poolThrough(way: Way, max: number): pg.Pool {
    const connectionString = data.database.url('redirector', ways[way]);
    const limits = { query_timeout: way === 'clicks' ? 10_000 : 1_000, connectionTimeoutMillis: 1_000 };
    const pool = new pg.Pool({ connectionString, max, ...limits });
    pool.on('error', () => {});
    ends.push(() => pool.end());
    return pool;
  }

  /** `asStandby`: the feed repeats changes, as on a standby. */
  async function running({ asStandby = false, ...limits }: Row = {}) {
    const feedPool = poolThrough('feed', 1);
    const looks: (string | null)[] = [];
    const connect = async () => {
      const client = await feedPool.connect();
      const ask = client.query.bind(client) as (text: string, values: unknown[]) => Promise<unknown>;
      const query = (text: string, [position]: [string | null]) => {
        looks.push(position);
        return ask(text, [asStandby ? position?.replace('/primary/', '/standby/') : position]);
      };
      return Object.assign(client, { query });
    };

    const readPool = poolThrough('reads', 10);
    const reads: number[] = [];
    let held: { arrived: () => void; released: Promise<void> } | undefined;
    const query = async (text: string, values: unknown[]) => {
      if (Array.isArray(values[0])) return readPool.query(text, values);
      reads.push(Number(values[0]));
      const holding = held;
      held = undefined;
      const result = await readPool.query(text, values);
      holding?.arrived();
      await holding?.released;
      return result;
    };

    const pools = { reads: { query }, feed: { connect }, clicks: poolThrough('clicks', 1) };
    const { server, stop } = redirector(pools, { interval: 10, sweep: 3_600_000, ...limits });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(stop);
    const base = `http://127.0.0.1:${server.address().port}`;
    const visit = visitorOf(base);
    return {
      visit,
      health: async (query = `?campaign=${one()}`) => {
        const answer = await fetch(`${base}/healthz${query}`);
        return { status: answer.status, ...((await answer.json()) as Row) };
      },
      target: async (campaign = one()) => (await visit(campaign)).location,
      /** The position of each look. */
      looks,
      /** Resolves after so many more looks. */
      looked: (more = 3) => {
        const until = looks.length + more;
        return eventually('looks', () => expect(looks.length).to.be.above(until));
      },
      /** The campaign of each read. */
      reads,
      /** The answer of the next read arrives here, and goes on when it is released. */
      hold: () => {
        const arrival = Promise.withResolvers<void>();
        const release = Promise.withResolvers<void>();
        held = { arrived: arrival.resolve, released: release.promise };
        return { arrived: arrival.promise, release: release.resolve };
      },
    };
  }

  return {
    running,
    /** Between the redirector and its database. */
    get ways() {
      return ways;
    },
    get database() {
      return data.database;
    },
    log: () => logged.mock.calls.map(({ arguments: [line] }) => line).join('\n'),
    one,
    other: () => data.campaigns[1] as CampaignId,
    set: (address: string, campaign = one()) =>
      commandsOn(data.database).object('mirror', 'set', `${campaign}`, address, '--as-operator'),
    /** As somebody who may do anything. */
    byHand,
    clicks: async (campaign: CampaignId) =>
      Number(
        (await byHand('select clicks from campaign_mirror.mirrors where campaign_id = $1', campaign))[0]
          ?.clicks,
      ),
  };
}
