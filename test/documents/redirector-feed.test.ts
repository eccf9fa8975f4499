import { mock } from 'node:test';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { commandsOn } from '../support/commands/commands-on.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { visitorOf } from '../support/process/redirector.ts';
import { eventually } from '../support/promises.ts';
import { projectFolder } from '../support/workspace.ts';

const { redirector } = await import(`${projectFolder}examples/redirector/redirector.mjs`);

const first = 'https://example.com/before';
const second = 'https://second.example/';
const third = 'https://third.example/';

describe('examples/redirector keeps addresses as long as they are right', () => {
  let feedProxy: TcpProxy;
  let ends: (() => Promise<unknown>)[];
  // Declared before `data`, whose hook drops the database.
  afterEach(async () => {
    mock.restoreAll();
    for (const end of ends.reverse()) await end();
  });
  const data = serviceDataOf('test', { campaigns: 2 });
  beforeEach(async () => {
    feedProxy = await tcpProxy(data.database.address('redirector'));
    ends = [() => feedProxy.close()];
    mock.method(console, 'error', () => {});
  });
  const one = () => data.campaigns[0] as CampaignId;
  const other = () => data.campaigns[1] as CampaignId;
  const set = (address: string, campaign = one()) =>
    commandsOn(data.database).object('mirror', 'set', `${campaign}`, address, '--as-operator');

  function poolOf(max: number, place?: TcpProxy, query_timeout = 1_000): pg.Pool {
    const connectionString = data.database.url('redirector', place);
    const pool = new pg.Pool({ connectionString, max, query_timeout, connectionTimeoutMillis: 1_000 });
    pool.on('error', () => {});
    ends.push(() => pool.end());
    return pool;
  }

  /** The redirector in this process: the test sees its polls and reads, and can hold a read. */
  async function running(limits: Record<string, number> = {}) {
    const feedPool = poolOf(1, feedProxy);
    let polls = 0;
    const connect = async () => {
      const client = await feedPool.connect();
      const send = client.query.bind(client) as (text: string, values: unknown[]) => Promise<unknown>;
      const query = async (text: string, values: unknown[]) => {
        const result = await send(text, values);
        polls += 1;
        return result;
      };
      return Object.assign(client, { query });
    };

    const readPool = poolOf(10);
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

    const pools = { reads: { query }, feed: { connect }, clicks: poolOf(1, undefined, 10_000) };
    const { server, stop } = redirector(pools, { interval: 10, sweep: 3_600_000, ...limits });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(stop);
    const visit = visitorOf(`http://127.0.0.1:${server.address().port}`);
    return {
      visit,
      target: async (campaign = one()) => (await visit(campaign)).location,
      /** Resolves after as many more polls were answered. */
      polled: (more = 3) => {
        const until = polls + more;
        return eventually('polls', () => expect(polls).to.be.above(until));
      },
      /** The campaign of each read. */
      reads,
      /** Holds the result of the next read between `arrived` and `release`. */
      hold: () => {
        const arrival = Promise.withResolvers<void>();
        const release = Promise.withResolvers<void>();
        held = { arrived: arrival.resolve, released: release.promise };
        return { arrived: arrival.promise, release: release.resolve };
      },
    };
  }

  it('it reads an address once, and again for the first visitor after a change', async () => {
    const { target, reads, polled } = await running({ second: 30_000 });
    await polled();
    for (let round = 0; round < 10; round++) expect(await target()).to.equal(first);
    expect(reads).to.deep.equal([one()]);
    await set(second, other());
    await set(second);
    await polled();
    const visits = await Promise.all(Array.from({ length: 50 }, () => target()));
    expect(new Set(visits)).to.deep.equal(new Set([second]));
    expect(reads).to.deep.equal([one(), one()]);
  });

  it('a read that overlaps a change answers its own visitors alone', async () => {
    const { target, polled, hold } = await running({ second: 30_000 });
    await polled();
    const { arrived, release } = hold();
    const early = target();
    await arrived;
    await set(second);
    await polled();
    expect(await target()).to.equal(second);
    release();
    expect(await early).to.equal(first);
    expect(await target()).to.equal(second);
  });

  it('it reads each address again after a second while the feed hangs', async () => {
    const { target, polled } = await running();
    await polled();
    expect(await target()).to.equal(first);
    feedProxy.freeze();
    for (const address of [second, third]) {
      await set(address);
      await eventually(address, async () => expect(await target()).to.equal(address));
    }
    feedProxy.thaw();
    await polled();
    expect(await target()).to.equal(third);
  });

  it('a sweep finds a deletion, and an address that the owner of the tables wrote', async () => {
    const { target, visit, polled } = await running({ sweep: 50 });
    await polled();
    expect([await target(), await target(other())]).to.deep.equal([first, first]);
    const { admin } = data.database;
    const write = 'update campaign_mirror.mirrors set target_url = $2 where campaign_id = $1';
    await admin.query(write, [one(), second]);
    await admin.query('delete from campaign_mirror.campaigns where id = $1', [other()]);
    await eventually('the new address', async () => expect(await target()).to.equal(second));
    await eventually('the deletion', async () => expect((await visit(other())).status).to.equal(404));
  });
});
