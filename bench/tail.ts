import { freePort } from '@campaign-mirror/embedded-postgres';
import { quantile } from '../packages/app/src/ops-page/quantile.ts';
import { number, table } from './figures/table.ts';
import { loadOf } from './load/load.ts';
import { commandLine, setting, wholeNumber } from './processes/command-line.ts';
import { run } from './processes/run.ts';
import { openBench } from './stage/bench.ts';
import { startOurs } from './stage/contenders.ts';

/** Histograms of the service: what each shows, and by what its values are multiplied. */
const shown = [
  ['headers to answer, ms', 'http_request_duration_seconds', 'status="200"', 1_000],
  [
    'statement, with its wait for a connection, ms',
    'statement_duration_seconds',
    'statement="set-mirrors"',
    1_000,
  ],
  ['updates in a batch', 'batch_members', 'kind="update"', 1],
  ['lateness of the event loop, ms', 'event_loop_delay_seconds', 'role=', 1_000],
] as const;

const {
  seconds,
  warmUp,
  set = {},
} = commandLine('bench:tail', 'Measures what the slow requests wait for, by the metrics of the service.')
  .option('--seconds <N>', 'for which each load is measured', wholeNumber(1, 600), 10)
  .option('--warm-up <N>', 'before, in seconds', wholeNumber(1, 600), 10)
  .option('--set <NAME=VALUE>', 'runs our service with this setting instead of the default', setting)
  .parse()
  .opts();

/** The buckets of a histogram by their upper bounds, each with all that is in the smaller ones. */
function bucketsIn(metrics: string, name: string, label: string): Map<number, number> {
  const buckets = new Map<number, number>();
  for (const line of metrics.split('\n')) {
    if (!line.startsWith(`campaign_mirror_${name}_bucket{`) || !line.includes(label)) continue;
    const [, bound = '', count = ''] = /le="([^"]+)".*\} (\d+)$/.exec(line) ?? [];
    const at = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
    buckets.set(at, (buckets.get(at) ?? 0) + Number(count));
  }
  return buckets;
}

await run(async (cleanup) => {
  const { databases, cores, generator } = await openBench({ campaigns: 10_000, settings: set }, cleanup);
  const opsPort = String(await freePort());
  const service = await startOurs(databases.first, { ...set, OPS_PORT: opsPort }, cores, cleanup);
  const metrics = async () => (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  for (const load of ['64', '256'].map(loadOf)) {
    await generator.carryOut({ port: service.port, load, seconds: warmUp });
    const before = await metrics();
    const answers = await generator.carryOut({ port: service.port, load, seconds });
    const after = await metrics();
    const rows = shown.map(([what, name, label, factor]) => {
      const first = bucketsIn(before, name, label);
      const buckets = [...bucketsIn(after, name, label)].map(([bound, count]) => ({
        bound,
        count: count - (first.get(bound) ?? 0),
      }));
      const at = (share: number) => number((quantile(share, buckets) ?? Number.NaN) * factor, 1);
      return { what, median: at(0.5), p90: at(0.9), p99: at(0.99), 'p99.9': at(0.999) };
    });
    console.log(
      `\n${load.name} connections: at the caller p50 ${number(answers.p50, 1)} ms, p99 ${number(answers.p99, 1)} ms\n${table(rows)}`,
    );
  }
  return [];
});
