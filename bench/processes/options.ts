import { parseArgs } from 'node:util';
import { type Load, loadOf } from '../load/load.ts';

export interface Options {
  readonly loads: readonly Load[];
  readonly rounds: number;
  /** Of a round, and of the warm-up before the rounds of a load. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly campaigns: number;
  readonly owners: number;
  /** Whether the floor is measured too. */
  readonly floor: boolean;
  /** Whether other stacks are measured too, at 64 connections. */
  readonly peers: boolean;
  /** Whether the floor is measured with our own two statements too. */
  readonly guaranteed: boolean;
  /** Whether the floor is measured with our persistence adapter too. */
  readonly batched: boolean;
  /** Whether latency is measured at fixed rates of arrivals too. */
  readonly openLoop: boolean;
  /** Whether PostgreSQL makes the segments of its WAL within the rounds. */
  readonly newSegments: boolean;
  readonly generator?: 'wrk' | 'autocannon';
  /** Where the figures go as JSON too, and the picture. */
  readonly json?: string;
  readonly plot?: string;
  /** A folder for a CPU profile of our service. */
  readonly profile?: string;
  /** Measures both as so many processes too. */
  readonly workers?: number;
  /** Settings of our service that are not the defaults. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Node compiles what has run often, which takes a service tens of thousands of requests. So one connection comes last:
 * it asks too little for that.
 */
const quick = { loads: '64,hot,1', rounds: '3', seconds: '3', warmUp: '2', campaigns: '10000' };
const full = { loads: '64,256,hot,mixed,1', rounds: '5', seconds: '10', warmUp: '20', campaigns: '100000' };

export const usage = `npm run bench -- [--quick | --full] [--loads 64,hot,1] [--rounds N] [--seconds N] [--warm-up N] [--campaigns N]
                 [--no-floor] [--guaranteed] [--batched] [--[no-]peers] [--[no-]open-loop] [--new-segments]
                 [--generator wrk|autocannon] [--json FILE] [--plot FILE] [--profile FOLDER] [--workers N] [--set NAME=VALUE]...

  --quick         10,000 campaigns, the loads 64, hot and 1, 3 rounds of 3 s; under two minutes
  --full          100,000 campaigns, all loads, 5 rounds of 10 s, peers, open loop; the default, about 25 minutes
  --loads         in this order: numbers of connections, 1 to 1024, each with one request at a time; hot: 64, all on
                  one campaign; mixed: 64, 60 % good, 20 % 401, 10 % 403, 5 % 404, 5 % 422
  --rounds        rounds of each service for each load, 1 to 100
  --seconds       length of a round, 1 to 3600
  --warm-up       length of the warm-up before the rounds of a load, 1 to 3600
  --campaigns     1,000 to 5,000,000
  --no-floor      measures ours alone, with --no-peers and --no-open-loop
  --guaranteed    measures the floor with our own two statements too: what ownership lock and history cost by themselves
  --batched       measures the floor with our persistence adapter too: what batches give where nothing else is added
  --peers         measures Fastify + pg, Koa + pg and Koa + MikroORM too, with 64 connections
  --open-loop     latency at fixed rates of arrivals too: 50 % and 80 % of the highest rate of --loads
  --new-segments  PostgreSQL makes the segments of its WAL within the rounds, as a new one does, which stops all
                  commits each time; one that has been at work for a while has them, and so has the one of the run
  --generator     the load generator, instead of wrk where it is installed and autocannon where not
  --json          writes the figures of every round to this file too
  --plot          draws the ratios into this file, as SVG
  --profile       writes a CPU profile of our service into this folder
  --workers       measures the floor and ours as so many processes too, 2 to 64; no process has a core of its own then
  --set           runs our service with this setting, such as LOG_LEVEL=silent, instead of the default

BENCH_DATABASE_URL, of a superuser, names the PostgreSQL to use; without it one is brought up for the run.
Thirty minutes of ours with 64 connections, and how memory and p99 grow: --loads 64 --rounds 30 --seconds 60
--no-floor --no-peers --no-open-loop. From 9 rounds on the first third is set beside the last.`;

/** @throws Error that says what is accepted */
export function readOptions(words: string[]): Options | undefined {
  const { values } = parseArgs({
    args: words,
    allowNegative: true,
    options: {
      quick: { type: 'boolean' },
      full: { type: 'boolean' },
      loads: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string' },
      campaigns: { type: 'string' },
      floor: { type: 'boolean' },
      guaranteed: { type: 'boolean' },
      batched: { type: 'boolean' },
      peers: { type: 'boolean' },
      'open-loop': { type: 'boolean' },
      'new-segments': { type: 'boolean' },
      generator: { type: 'string' },
      json: { type: 'string' },
      plot: { type: 'string' },
      profile: { type: 'string' },
      workers: { type: 'string' },
      set: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  if (values.quick && values.full) throw new Error('--quick or --full, not both');
  const usual = values.quick ? quick : full;
  const { generator, json, plot, profile, floor = true, guaranteed = false, batched = false } = values;
  const peers = values.peers ?? !values.quick;
  const openLoop = values['open-loop'] ?? !values.quick;
  if (!floor && (guaranteed || batched || peers || openLoop || plot))
    throw new Error(
      '--no-floor goes with --no-peers and --no-open-loop, without --guaranteed or --batched, and leaves nothing to plot',
    );
  if (values['new-segments'] && process.env.BENCH_DATABASE_URL)
    throw new Error(
      '--new-segments is for the PostgreSQL that is brought up for the run, not for BENCH_DATABASE_URL',
    );
  if (generator !== undefined && generator !== 'wrk' && generator !== 'autocannon')
    throw new Error(`--generator takes wrk or autocannon, not ${generator}`);
  return {
    loads: [...new Set((values.loads ?? usual.loads).split(','))].map(loadOf),
    rounds: wholeNumber('--rounds', values.rounds ?? usual.rounds, 1, 100),
    seconds: wholeNumber('--seconds', values.seconds ?? usual.seconds, 1, 3600),
    warmUpSeconds: wholeNumber('--warm-up', values['warm-up'] ?? usual.warmUp, 1, 3600),
    campaigns: wholeNumber('--campaigns', values.campaigns ?? usual.campaigns, 1_000, 5_000_000),
    owners: 1_000,
    floor,
    guaranteed,
    batched,
    peers,
    openLoop,
    newSegments: values['new-segments'] ?? false,
    settings: Object.fromEntries((values.set ?? []).map(setting)),
    ...(generator && { generator }),
    ...(json && { json }),
    ...(plot && { plot }),
    ...(profile && { profile }),
    ...(values.workers && { workers: wholeNumber('--workers', values.workers, 2, 64) }),
  };
}

/** @throws Error that says what is accepted */
export function wholeNumber(name: string, text: string, least: number, most: number): number {
  if (/^[1-9][0-9]{0,6}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new Error(`${name} takes whole numbers from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

/** @throws Error that says what is accepted */
export function setting(text: string): [name: string, value: string] {
  const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`--set takes NAME=VALUE, not ${JSON.stringify(text)}`);
  return [name, value];
}
