import { parseArgs } from 'node:util';

export interface Options {
  /** One load each: this many connections, each with one request at a time. */
  readonly connections: readonly number[];
  readonly rounds: number;
  /** Of a round, and of the warm-up before the rounds of a load. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly campaigns: number;
  readonly owners: number;
  /** Where the figures go as JSON too. */
  readonly json?: string;
  /** A folder for a CPU profile of our service. */
  readonly profile?: string;
  /** Settings of our service that are not the defaults. */
  readonly settings: Readonly<Record<string, string>>;
}

const quick = { connections: '1,64', rounds: '3', seconds: '3', warmUpSeconds: 2, campaigns: 10_000 };
const full = { connections: '1,64,256', rounds: '5', seconds: '10', warmUpSeconds: 10, campaigns: 100_000 };

export const usage = `npm run bench -- [--quick | --full] [--connections 1,64] [--rounds N] [--seconds N] [--json FILE]
                 [--profile FOLDER] [--set NAME=VALUE]...

  --quick         10,000 campaigns, 1 and 64 connections, 3 rounds of 3 s; about a minute
  --full          100,000 campaigns, 1, 64 and 256 connections, 5 rounds of 10 s; the default
  --connections   loads to measure, 1 to 1024 each
  --rounds        rounds of each service for each load, 1 to 100
  --seconds       length of a round, 1 to 600
  --json          writes the figures of every round to this file too
  --profile       writes a CPU profile of our service into this folder
  --set           runs our service with this setting, such as LOG_LEVEL=silent, instead of the default

BENCH_DATABASE_URL, of a superuser, names the PostgreSQL to use; without it one is brought up for the run.
The warm-up before the rounds of a load is 2 s (quick) or 10 s.`;

/** @throws Error that says what is accepted */
export function readOptions(words: string[]): Options | undefined {
  const { values } = parseArgs({
    args: words,
    options: {
      quick: { type: 'boolean' },
      full: { type: 'boolean' },
      connections: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
      set: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  if (values.quick && values.full) throw new Error('--quick or --full, not both');
  const usual = values.quick ? quick : full;
  const connections = (values.connections ?? usual.connections).split(',');
  return {
    connections: connections.map((text) => wholeNumber('--connections', text, 1024)),
    rounds: wholeNumber('--rounds', values.rounds ?? usual.rounds, 100),
    seconds: wholeNumber('--seconds', values.seconds ?? usual.seconds, 600),
    warmUpSeconds: usual.warmUpSeconds,
    campaigns: usual.campaigns,
    owners: 1_000,
    settings: Object.fromEntries((values.set ?? []).map(setting)),
    ...(values.json && { json: values.json }),
    ...(values.profile && { profile: values.profile }),
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  if (/^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= most) return Number(text);
  throw new Error(`${name} takes whole numbers from 1 to ${most}, not ${JSON.stringify(text)}`);
}

function setting(text: string): [name: string, value: string] {
  const [, name, value] = /^([A-Z_]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new Error(`--set takes NAME=VALUE, not ${JSON.stringify(text)}`);
  return [name, value];
}
