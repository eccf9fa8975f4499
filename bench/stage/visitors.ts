import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate, roles } from '@campaign-mirror/adapters-persistence/service';
import { quantile, sum } from 'd3-array';
import type { DedicatedServer } from '../../test/support/database/dedicated-server.ts';
import { replicated } from '../../test/support/database/standby.ts';
import { tcpProxy } from '../../test/support/database/tcp-proxy.ts';
import { redirectorIn } from '../../test/support/process/redirector.ts';
import { seed, seedOf } from '../database/seed.ts';
import { describeServer, query } from '../database/server.ts';
import { number, table } from '../figures/statistics.ts';
import { answerFaults, arrivals } from '../load/generator.ts';
import type { Plan } from '../load/plan.ts';
import { machine } from '../machine/cores.ts';
import { type Cleanup, temporaryFolder } from '../machine/run.ts';
import type { Options } from './bench.ts';
import { startOurs } from './contenders.ts';

const notes = `Milliseconds from the 200 to the first visitor with the new address, at each redirector: one asks every 10 ms.
Queries are those of one redirector a second, each in a transaction of its own. Each change costs one read of its address.`;

type Redirector = Awaited<ReturnType<Awaited<ReturnType<typeof redirectorIn>>>>;

/** Redirectors; campaigns that are visited in turn; of each redirector, visits a second and connections; updates a second. */
const count = 3;
const active = 5_000;
const visits = 1_000;
const connections = 32;
const updates = 5;
/** Milliseconds between two visits of one who waits for a new address, and after which that one gives up. */
const between = 10;
const longest = 10_000;
/** What those that follow the feed have to keep to: milliseconds; queries a second, besides the reads of what changed. */
const bars = { p99: 300, queries: 20 };

const forms = [
  { form: 'by the feed', place: 'primary', hasFeed: true },
  { form: 'by the feed of a standby', place: 'standby', hasFeed: true },
  { form: 'read again each second', place: 'primary', hasFeed: false },
] as const;

/** How long after its 200 an update reaches the visitors of each redirector, and what redirectors ask of the database. */
export async function visitors(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const { seconds } = options;
  const filling = seedOf(Math.max(options.campaigns, active));
  const stage = await replicated(async (primary) => {
    for (const role of Object.values(roles)) await query(urlOf(primary), `create role ${role} login`);
    await migrate(primary.address('postgres'));
    await seed(urlOf(primary), filling);
  }, []);
  cleanup.push(stage.remove);
  const admin = urlOf(stage.primary);
  const copy = async () => ({ admin, url: urlOf(stage.primary, roles.service) });
  const place = { databases: { copy }, isDivided: false, cleanup };
  const { port } = await startOurs(place, { settings: options.set });
  const crowd = `${active} of ${filling.campaigns} campaigns get ${visits} visits a second at each of ${count} redirectors`;
  const where = `${machine(false)}\n${await describeServer(admin)}\n${crowd}, ${updates} updates a second in all`;
  console.error(where);
  const folder = await temporaryFolder(cleanup);
  const startRedirector = await redirectorIn(folder);
  const plan: Plan = {
    ...{ head: 'GET /c/', middle: '?click_id=', keys: [''], rest: '' },
    ...{ end: ' HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', campaigns: active, stride: 1 },
  };
  const planFile = join(folder, 'plan.json');
  await writeFile(planFile, JSON.stringify(plan));
  // What is read before the first look is read again.
  const warmUp = options.warmUp + Math.ceil((2 * active) / visits);

  const faults: string[] = [];
  const rows: Record<string, string>[] = [];
  for (const { form, place, hasFeed } of forms) {
    // Those that may not look at the feed fall back to what they do while it does not answer.
    const change = hasFeed ? 'grant execute on function # to' : 'revoke execute on function # from';
    await query(admin, `${change.replace('#', 'campaign_mirror.changes_since')} ${roles.redirector}`);
    const reads = await countedWay(stage[place], cleanup);
    const clicks = await countedWay(stage.primary, cleanup);
    const ways = { READ_DATABASE_URL: reads.url, DATABASE_URL: clicks.url };
    const redirectors: Redirector[] = [];
    while (redirectors.length < count) redirectors.push(await startRedirector(ways));
    const coming = redirectors.map((redirector) =>
      arrivals(planFile, 0, new URL(redirector.base).port, connections, warmUp + seconds, visits),
    );
    await pause(warmUp * 1_000);
    const before = { reads: reads.count(), clicks: clicks.count() };
    const begun = performance.now();
    const waits: Promise<number[]>[] = [];
    for (let update = 0; update < seconds * updates; update++) {
      await pause(Math.max(1, begun + (update * 1_000) / updates - performance.now()));
      const campaign = 1 + ((update * 7_919) % active);
      const address = `https://new.example/${rows.length}/${update}`;
      const key = String(filling.keys[campaign % filling.keys.length]);
      const wait = (at: number) => waitsOf(redirectors, campaign, address, at);
      waits.push(updateOf(port, campaign, address, key).then(wait));
    }
    const span = (count * (performance.now() - begun)) / 1_000;
    const asked = (reads.count() - before.reads) / span;
    const written = (clicks.count() - before.clicks) / span;
    const times = (await Promise.all(waits)).flat();
    const answers = await Promise.all(coming);
    for (const { process } of redirectors) await process.stop();
    const [p50, p99 = Number.NaN, greatest] = [0.5, 0.99, 1].map((part) => quantile(times, part));
    const visited = sum(answers, ({ requests, seconds }) => requests / seconds / count);
    const found = answers.flatMap((one) => answerFaults(one, '302'));
    if (visited < 0.9 * visits)
      found.push(`only ${number(visited, 0)} visits a second: the figures say nothing`);
    if (hasFeed && !(p99 <= bars.p99)) found.push(`p99 is beyond ${bars.p99} ms`);
    if (hasFeed && asked > bars.queries + updates) found.push(`more than ${bars.queries} queries a second`);
    faults.push(...found.map((fault) => `${form}: ${fault}`));
    rows.push({
      addresses: form,
      p50: number(p50, 0),
      p99: number(p99, 0),
      greatest: number(greatest, 0),
      'reads and looks': number(asked, 1),
      'writings of clicks': number(written, 1),
      visits: number(visited, 0),
    });
    console.error(`${form}: p99 ${number(p99, 0)} ms, ${number(asked, 1)} queries a second`);
  }
  console.log(`\n${table(rows)}\n\n${notes}\n\n${where}`);
  return faults;
}

function urlOf(server: DedicatedServer, user = 'postgres'): URL {
  const { host, port } = server.address(user);
  return new URL(`postgres://${user}@${host}:${port}/postgres`);
}

/** The end of what PostgreSQL answers to a query that leaves no transaction open (section 54.7, ReadyForQuery). */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** The way of redirectors to a server, on which their queries are counted. */
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
async function updateOf(port: number, campaign: number, address: string, key: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/public/v1/mirror/campaign/${campaign}/mirror`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ mirror_endpoint: address }),
  });
  const at = performance.now();
  const body = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${body}`);
  return at;
}

/** How long it takes until a visitor of each redirector gets the new address, whose visits are no clicks. */
function waitsOf(redirectors: readonly Redirector[], campaign: number, address: string, from: number) {
  return Promise.all(
    redirectors.map(async ({ visit }) => {
      while ((await visit(campaign, 'HEAD')).location !== address) {
        if (performance.now() - from > longest)
          throw new Error(`campaign ${campaign} still has its old address`);
        await pause(between);
      }
      return performance.now() - from;
    }),
  );
}
