import { parseArgs } from 'node:util';
import { openDatabases } from './databases/database.ts';
import { delayedServer } from './databases/delayed-server.ts';
import { newKeys } from './databases/seed.ts';
import { openLoadGenerator } from './load/generator.ts';
import type { Cleanup } from './processes/cleanup.ts';
import { divideCores } from './processes/cores.ts';
import { machine } from './processes/machine.ts';
import { setting, wholeNumber } from './processes/options.ts';
import { run } from './processes/run.ts';
import { wordsOf } from './processes/words.ts';
import { startOurs } from './stage/contenders.ts';
import {
  type OverloadRound,
  overloadFaults,
  overloadRounds,
  overloadTable,
} from './stage/overload-rounds.ts';

/** What becomes of the service when more is asked than it can carry: `npm run bench:overload`. */
const usage = `npm run bench:overload -- [--seconds N] [--delay MS] [--set NAME=VALUE]...

  --seconds   length of each round, 3 to 600; else 6
  --delay     milliseconds that each statement takes to reach the slow database, 10 to 1000; else 100
  --set       runs our service with this setting instead of the default`;

const notes = `Arrivals at a fixed rate, whatever the answers take, on 1,024 connections; the peak is what 256 connections get that
ask as soon as they are answered. Latency is that of the requests that were carried out, from the moment at which each
was due. The generator shares a core with PostgreSQL and can not send ten times what the service carries at its best:
so each statement is delayed on its way to the database, which makes the capacity small enough, and there the bars are.
Without the delay the generator takes from PostgreSQL the core that they share, and to refuse so many takes the
service's own: those figures show how far it gets on this machine, and there are no bars for them.`;

interface Words {
  readonly seconds: number;
  readonly delay: number;
  readonly settings: Readonly<Record<string, string>>;
}

async function overload({ seconds, delay, settings }: Words, cleanup: Cleanup): Promise<number> {
  const cores = divideCores();
  const seed = { campaigns: 10_000, keys: newKeys(1_000) };
  const databases = await openDatabases(seed, cleanup);
  const generator = await openLoadGenerator(seed, cleanup);
  console.error(machine(databases.server, cores, settings));

  const direct = new URL(databases.ours.url);
  const port = await delayedServer({ host: direct.hostname, port: Number(direct.port) }, delay, cleanup);
  const url = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(port) }).href;
  const slow = await startOurs({ ...databases.ours, url }, { settings }, cores, cleanup);
  const delayed = await overloadRounds(slow, generator, seconds, [0.5, 3, 10]);
  await slow.end();

  const quick = await startOurs(databases.floor, { settings }, cores, cleanup);
  const undelayed = await overloadRounds(quick, generator, seconds, [0.25, 3]);
  await quick.end();

  const table = (title: string, rounds: readonly OverloadRound[]) => `${title}\n${overloadTable(rounds)}`;
  console.log(`\n${table(`A database that is ${delay} ms away`, delayed)}`);
  console.log(`\n${table('A database beside us', undelayed)}\n\n${notes}`);
  const faults = [...overloadFaults(delayed), ...undelayed.flatMap((round) => round.faults)];
  for (const fault of faults) console.error(`wrong: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

function readWords(words: string[]): Words | undefined {
  const { values } = parseArgs({
    args: words,
    options: {
      seconds: { type: 'string', default: '6' },
      delay: { type: 'string', default: '100' },
      set: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  return {
    seconds: wholeNumber('--seconds', values.seconds, 3, 600),
    delay: wholeNumber('--delay', values.delay, 10, 1_000),
    settings: Object.fromEntries((values.set ?? []).map(setting)),
  };
}

const chosen = wordsOf(usage, readWords);
await run((cleanup) => overload(chosen, cleanup));
