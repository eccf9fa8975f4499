import { mock } from 'node:test';
import type { CampaignId } from '@campaign-mirror/domain';
import { expect } from 'chai';
import pg from 'pg';
import { command } from '../support/commands/command.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { serviceDataOf } from '../support/process/lives.ts';
import { visitorOf } from '../support/process/redirector.ts';
import { eventually } from '../support/promises.ts';
import { projectFolder } from '../support/workspace.ts';

const { redirector } = await import(`${projectFolder}examples/redirector/redirector.mjs`);

type Way = 'reads' | 'feed' | 'clicks';
type Row = Record<string, unknown>;

/** In a suite: two campaigns, and the example in this process, to see and hold up what it asks of the database. */
export function redirectorStage() {
  let ways: Record<Way, TcpProxy>;
  let ends: (() => Promise<unknown>)[];
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
    mock.method(console, 'error', () => {});
  });
  const one = () => data.campaigns[0] as CampaignId;
  const byHand = async (text: string, ...values: unknown[]): Promise<Row[]> =>
    (await data.database.admin.query(text, values)).rows;

  function poolThrough(way: Way, max: number): pg.Pool {
    const address = { ...data.database.address('redirector'), host: '127.0.0.1', port: ways[way].port };
    const limits = { query_timeout: way === 'clicks' ? 10_000 : 1_000, connectionTimeoutMillis: 1_000 };
    const pool = new pg.Pool({ ...address, max, ...limits });
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

    const clickPool = poolThrough('clicks', 1);
    const unwritten: string[] = [];
    const write = (text: string) =>
      clickPool.query(text).catch((error) => {
        unwritten.push(error.message);
        throw error;
      });

    const pools = { reads: { query }, feed: { connect }, clicks: { query: write } };
    const { server, stop } = redirector(pools, { interval: 10, sweep: 3_600_000, ...limits });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    let stopped: Promise<number> | undefined;
    const end = (): Promise<number> => {
      stopped ??= stop() as Promise<number>;
      return stopped;
    };
    ends.push(end);
    const visit = visitorOf(`http://127.0.0.1:${server.address().port}`);
    return {
      visit,
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
      /** Why clicks could not be written, each time. */
      unwritten,
      stop: end,
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
    one,
    other: () => data.campaigns[1] as CampaignId,
    set: async (address: string, campaign = one()) =>
      expect(
        await command(['mirror', 'set', `${campaign}`, address, '--as-operator'], {
          DATABASE_URL: data.database.url('operator'),
        }),
      ).to.include({ code: 0 }),
    /** As somebody who may do anything. */
    byHand,
    clicks: async (campaign: CampaignId) =>
      Number(
        (await byHand('select clicks from campaign_mirror.mirrors where campaign_id = $1', campaign))[0]
          ?.clicks,
      ),
  };
}
