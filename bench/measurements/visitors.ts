import { setTimeout as pause } from 'node:timers/promises';
import { migrate, roles } from '@campaign-mirror/adapters-persistence/service';
import { quantile, sum } from 'd3-array';
import type { DedicatedServer } from '../../test/support/database/dedicated-server.ts';
import { replicated } from '../../test/support/database/standby.ts';
import { tcpProxy } from '../../test/support/database/tcp-proxy.ts';
import { redirectorIn } from '../../test/support/process/redirector.ts';
import { describeServer, query } from '../database/database.ts';
import { seed, seedOf } from '../database/seed.ts';
import { number, table } from '../figures/statistics.ts';
import { answerFaults, wrk } from '../load/generator.ts';
import type { Plan } from '../load/plan.ts';
import { type Cleanup, machine, temporaryFolder } from '../machine/machine.ts';
import { startOurs } from './contenders.ts';
import type { Options } from './rounds.ts';

const notes = `Milliseconds from the 200 to the first visitor with the new address, at each redirector,
with a visit every 10 ms. Queries are those of one redirector a second. Each change costs one read.`;

type Redirector = Awaited<ReturnType<Awaited<ReturnType<typeof redirectorIn>>>>;

/** How many redirectors there are. */
const count = 3;
/** How many campaigns are visited in turn. */
const active = 5_000;
/** Visits a second and connections, of each redirector. */
const visits = 1_000;
const connections = 64;
/** Updates a second. */
const updates = 5;
/** The time between two visits that look for a new address, and the longest time until it appears, in milliseconds. */
const between = 10;
const longest = 10_000;
/** The bars with the feed: milliseconds; queries a second, besides the reads of changed addresses. */
const bars = { p99: 300, queries: 20 };

const forms = [
  { form: 'by the feed', place: 'primary', hasFeed: true },
  { form: 'by the feed of a standby', place: 'standby', hasFeed: true },
  { form: 'read again each second', place: 'primary', hasFeed: false },
] as const;

/** The time from the 200 of an update to the visitors of each redirector, and the queries of the redirectors. */
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
  const ours = { databases: { copy }, isDivided: false, cleanup };
  const { port } = await startOurs(ours, { settings: options.set });
  const crowd = `${active} of ${filling.campaigns} campaigns, ${visits} visits a second at each redirector (${count})`;
  const where = `${machine(false)}\n${await describeServer(admin)}\n${crowd}, ${updates} updates a second in all`;
  console.error(where);
  const folder = await temporaryFolder(cleanup);
  const startRedirector = await redirectorIn(folder);
  const plan: Plan = {
    ...{ head: 'GET /c/', middle: '?click_id=', keys: [''], rest: '', campaigns: active, stride: 1 },
    ...{ ending: ' HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n', pause: (1_000 * connections) / visits - 1 },
  };
  // Addresses that were read before the first poll are read again.
  const warmUp = options.warmUp + Math.ceil((2 * active) / visits);

  const faults: string[] = [];
  const rows: Record<string, string>[] = [];
  for (const { form, place, hasFeed } of forms) {
    // Without the right to poll, a redirector does what it does while the feed does not answer.
    const change = hasFeed ? 'grant execute on function # to' : 'revoke execute on function # from';
    await query(admin, `${change.replace('#', 'campaign_mirror.changes_since')} ${roles.redirector}`);
    const reads = await countingProxy(stage[place], cleanup);
    const clicks = await countingProxy(stage.primary, cleanup);
    const redirectors: Redirector[] = [];
    while (redirectors.length < count)
      redirectors.push(await startRedirector({ READ_DATABASE_URL: reads.url, DATABASE_URL: clicks.url }));
    const loads = redirectors.map((redirector) =>
      wrk(folder, plan, Number(new URL(redirector.base).port), connections, warmUp + seconds),
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
    const polls = (reads.count() - before.reads) / span;
    const writes = (clicks.count() - before.clicks) / span;
    const times = (await Promise.all(waits)).flat();
    const answers = await Promise.all(loads);
    for (const { process } of redirectors) await process.stop();
    const [p50, p99 = Number.NaN, greatest] = [0.5, 0.99, 1].map((part) => quantile(times, part));
    const visited = sum(answers, ({ requests, seconds }) => requests / seconds / count);
    const found = answers.flatMap((one) => answerFaults(one, '302'));
    if (visited < 0.8 * visits)
      found.push(`only ${number(visited, 0)} visits a second: the figures are void`);
    if (hasFeed && !(p99 <= bars.p99)) found.push(`p99 is beyond ${bars.p99} ms`);
    if (hasFeed && polls > bars.queries + updates) found.push(`more than ${bars.queries} queries a second`);
    faults.push(...found.map((fault) => `${form}: ${fault}`));
    rows.push({
      ...{ addresses: form, p50: number(p50, 0), p99: number(p99, 0), greatest: number(greatest, 0) },
      ...{ 'polls and reads': number(polls, 1), 'writes of clicks': number(writes, 1) },
      visits: number(visited, 0),
    });
    console.error(`${form}: p99 ${number(p99, 0)} ms, ${number(polls, 1)} queries a second`);
  }
  console.log(`\n${table(rows)}\n\n${notes}\n\n${where}`);
  return faults;
}

function urlOf(server: DedicatedServer, user = 'postgres'): URL {
  const { host, port } = server.address(user);
  return new URL(`postgres://${user}@${host}:${port}/postgres`);
}

/** PostgreSQL's last message after a query that leaves no transaction open (section 54.7, ReadyForQuery). */
const ready = Buffer.from('Z\0\0\0\x05I', 'latin1');

/** A proxy of a server, for redirectors, that counts their queries. */
async function countingProxy(server: DedicatedServer, cleanup: Cleanup) {
  let count = 0;
  const proxy = await tcpProxy(server.address('postgres'), (bytes) => {
    for (let at = bytes.indexOf(ready); at !== -1; at = bytes.indexOf(ready, at + 1)) count += 1;
  });
  cleanup.push(proxy.close);
  return { url: `postgres://${roles.redirector}@127.0.0.1:${proxy.port}/postgres`, count: () => count };
}

/** Resolves with the time of the 200. @throws Error for another answer */
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

/** The time until a visitor of each redirector gets the new address. These visits are no clicks. */
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
