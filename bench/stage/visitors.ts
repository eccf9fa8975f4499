import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate, roles } from '@campaign-mirror/adapters-persistence';
import { quantile } from 'd3-array';
import type { DedicatedServer } from '../../test/support/database/dedicated-server.ts';
import { replicated } from '../../test/support/database/standby.ts';
import { tcpProxy } from '../../test/support/database/tcp-proxy.ts';
import { query } from '../database/query.ts';
import { seed, seedOf } from '../database/seed.ts';
import { describeServer } from '../database/server.ts';
import { number, table } from '../figures/statistics.ts';
import { answerFaults, arrivals } from '../load/generator.ts';
import type { Plan } from '../load/plan.ts';
import { machine } from '../machine/cores.ts';
import { startRedirectors } from '../machine/redirectors.ts';
import type { Cleanup } from '../machine/run.ts';
import type { Running } from '../machine/service.ts';
import type { Options } from './bench.ts';
import { startOurs } from './contenders.ts';

const notes = `Milliseconds from the 200 to the first visitor with the new address, at each redirector: one asks every 10 ms.
Queries are those of one redirector a second, each a transaction: reads and looks at the feed, and writings of clicks.`;

/** Connections of the visitors of each redirector; updates a second. */
const connections = 32;
const updates = 5;
/** Milliseconds between two visits of one who waits for a new address, and after which that one gives up. */
const between = 10;
const longest = 10_000;
/** What has to be kept to by those that follow the feed: milliseconds, queries a second. */
const bars = { p99: 300, reads: 20 };

const forms = [
  { form: 'by the feed', rights: 'grant', reads: 'primary' },
  { form: 'by the feed, from a standby', rights: 'grant', reads: 'standby' },
  { form: 'each address read again after a second', rights: 'revoke', reads: 'primary' },
] as const;

/** How long after the answer an update reaches the visitors of each redirector, and what redirectors ask of the database. */
export async function visitors(
  options: Options & Partial<Record<'active' | 'redirectors' | 'visits', number | undefined>>,
  cleanup: Cleanup,
): Promise<readonly string[]> {
  const { active = 5_000, redirectors: count = 3, visits = 1_000, campaigns, seconds } = options;
  const filling = seedOf(Math.max(campaigns, active));
  const stage = await replicated(async (primary) => {
    const admin = urlOf(primary);
    for (const role of Object.values(roles)) await query(admin, `create role ${role} login`);
    await migrate(primary.address('postgres'));
    await seed(admin, filling);
  }, []);
  cleanup.push(stage.remove);
  const admin = urlOf(stage.primary);
  const database = { admin, url: urlOf(stage.primary, roles.service) };
  const service = await startOurs(
    { databases: { copy: async () => database }, isDivided: false, cleanup },
    { settings: options.set },
  );
  const where = `${machine(false)}\n${await describeServer(admin)}\n${active} of ${filling.campaigns} campaigns are active`;
  console.error(where);
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-visits-'));
  cleanup.push(() => rm(folder, { recursive: true }));
  const plan: Plan = {
    head: 'GET /c/',
    tails: ['?click_id='],
    end: ' HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    campaigns: active,
    stride: 1,
  };
  const file = join(folder, 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  /** Until each campaign was visited twice, since what was read before the first look is read again. */
  const warmUp = Math.max(options.warmUp, Math.ceil((2 * active) / visits));

  const faults: string[] = [];
  const rows: Record<string, string>[] = [];
  for (const { form, rights, reads: place } of forms) {
    const [grammar, user] = [rights === 'grant' ? 'to' : 'from', roles.redirector];
    await query(admin, `${rights} execute on function campaign_mirror.changes_since ${grammar} ${user}`);
    const reads = await countedWay(stage[place], cleanup);
    const clicks = await countedWay(stage.primary, cleanup);
    const ways = { DATABASE_URL: clicks.url, READ_DATABASE_URL: reads.url };
    const redirectors = await startRedirectors(count, ways, cleanup);
    const crowds = Promise.all(
      redirectors.map(({ port }) => arrivals(file, 0, port, connections, warmUp + seconds + 2, visits)),
    );
    await pause(warmUp * 1_000);
    const before = [reads.count(), clicks.count()];
    const begun = performance.now();
    const waits: Promise<number[]>[] = [];
    for (let update = 0; update < seconds * updates; update++) {
      await pause(Math.max(0, begun + (update * 1_000) / updates - performance.now()));
      const campaign = 1 + ((update * 7_919) % active);
      const address = `https://new.example/${place}/${rights}/${update}`;
      const key = filling.keys[campaign % filling.keys.length];
      waits.push(
        updateOf(service, campaign, address, String(key)).then((at) =>
          waitsOf(redirectors, campaign, address, at),
        ),
      );
    }
    const each = count * ((performance.now() - begun) / 1_000);
    const [asked = 0, written = 0] = [reads, clicks].map(
      (way, at) => (way.count() - (before[at] ?? 0)) / each,
    );
    const times = (await Promise.all(waits)).flat();
    const crowd = await crowds;
    faults.push(
      ...crowd.flatMap((answers) => answerFaults(answers, '302')).map((fault) => `${form}: ${fault}`),
    );
    for (const { end } of redirectors) await end();
    const [p50 = 0, p99 = 0, last = 0] = [0.5, 0.99, 1].map((part) => quantile(times, part));
    if (rights === 'grant' && !(p99 <= bars.p99)) faults.push(`${form}: p99 is beyond ${bars.p99} ms`);
    if (rights === 'grant' && !(asked <= bars.reads + updates))
      faults.push(`${form}: more than ${bars.reads} queries a second`);
    rows.push({
      redirectors: form,
      p50: number(p50, 0),
      p99: number(p99, 0),
      greatest: number(last, 0),
      'reads and looks a second': number(asked, 1),
      'writings of clicks': number(written, 1),
      'visits a second': number(
        crowd.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0) / count,
        0,
      ),
    });
    console.error(table(rows));
  }
  console.log(`${table(rows)}\n\n${notes}\n\n${where}`);
  return faults;
}

function urlOf(server: DedicatedServer, user = 'postgres'): URL {
  const { host, port } = server.address(user);
  return new URL(`postgres://${user}@${host}:${port}/postgres`);
}

/** The end of each answer of PostgreSQL to a query that leaves no transaction open (section 54.7, ReadyForQuery). */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** The way of redirectors to a server, on which queries are counted. */
async function countedWay(server: DedicatedServer, cleanup: Cleanup) {
  let count = 0;
  const way = await tcpProxy(server.address('postgres'), (bytes) => {
    for (let at = bytes.indexOf(ready); at !== -1; at = bytes.indexOf(ready, at + 1)) count += 1;
    return bytes;
  });
  cleanup.push(way.close);
  return { url: `postgres://${roles.redirector}@127.0.0.1:${way.port}/postgres`, count: () => count };
}

/** Resolves with the moment of the 200. @throws Error if it is another answer */
async function updateOf({ port }: Running, campaign: number, address: string, key: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/public/v1/mirror/campaign/${campaign}/mirror`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ mirror_endpoint: address }),
  });
  const at = performance.now();
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return at;
}

/** How long it takes until a visitor of each redirector gets the new address, whose visits are no clicks. */
function waitsOf(redirectors: readonly Running[], campaign: number, address: string, from: number) {
  return Promise.all(
    redirectors.map(async ({ port }) => {
      const visit = async () => {
        const url = `http://127.0.0.1:${port}/c/${campaign}`;
        return (await fetch(url, { method: 'HEAD', redirect: 'manual' })).headers.get('location');
      };
      while ((await visit()) !== address) {
        if (performance.now() - from > longest)
          throw new Error(`campaign ${campaign} still has its old address`);
        await pause(between);
      }
      return performance.now() - from;
    }),
  );
}
