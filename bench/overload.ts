import { delayedServer } from './databases/delayed-server.ts';
import { number, table } from './figures/table.ts';
import { commandLine, setting, wholeNumber } from './processes/command-line.ts';
import { run } from './processes/run.ts';
import { openBench } from './stage/bench.ts';
import { startOurs } from './stage/contenders.ts';
import { type OverloadRound, overloadFaults, overloadRounds } from './stage/overload-rounds.ts';

const notes = `Arrivals at a fixed rate, whatever the answers take, on 1,024 connections; the peak is what 256 connections get that
ask as soon as they are answered. What arrives while each connection waits for an answer is held back by its caller:
a request that is one too many keeps its connection for a second. Latency is that of the requests that were carried
out. The bars hold for the database that is far away; beside us it shares a core with the generator, and the figures
show how far the service gets on this machine.`;

function overloadTable(rounds: readonly OverloadRound[]): string {
  const [peak, normal] = rounds;
  return table(
    rounds.map(({ name, arrived, carriedOut, refused, heldBack, p99, core, memory }) => ({
      arrivals: name,
      'a second': number(arrived, 0),
      'carried out': number(carriedOut, 0),
      refused: number(refused, 0),
      'held back': number(heldBack, 0),
      'of the peak': number(carriedOut / (peak?.carriedOut ?? Number.NaN), 2),
      'p99 ms': number(p99, 1),
      '× normal': number(p99 / (normal?.p99 ?? Number.NaN), 1),
      'core %': number(core, 0),
      MB: memory.map((megabytes) => number(megabytes, 0)).join(' to '),
    })),
  );
}

const {
  seconds,
  delay,
  set = {},
} = commandLine(
  'bench:overload',
  'Measures what becomes of the service when more is asked than it can carry.',
)
  .option('--seconds <N>', 'length of each round', wholeNumber(3, 600), 6)
  .option(
    '--delay <N>',
    'milliseconds that a statement takes to reach the slow database',
    wholeNumber(10, 1_000),
    100,
  )
  .option('--set <NAME=VALUE>', 'runs our service with this setting instead of the default', setting)
  .parse()
  .opts();

await run(async (cleanup) => {
  const { databases, cores, generator } = await openBench({ campaigns: 10_000, settings: set }, cleanup);
  const [near, copy] = [databases.first, await databases.copy()];
  const url = new URL(copy.url);
  url.port = String(await delayedServer({ host: url.hostname, port: Number(url.port) }, delay, cleanup));
  url.hostname = '127.0.0.1';
  const slow = await startOurs({ ...copy, url: url.href }, set, cores, cleanup);
  const delayed = await overloadRounds(slow, generator, seconds, [0.5, 3, 10]);
  await slow.end();

  const quick = await startOurs(near, set, cores, cleanup);
  const undelayed = await overloadRounds(quick, generator, seconds, [0.25, 3, 10]);
  await quick.end();

  console.log(`\nA database that is ${delay} ms away\n${overloadTable(delayed)}`);
  console.log(`\nA database beside us\n${overloadTable(undelayed)}\n\n${notes}`);
  return [...overloadFaults(delayed), ...undelayed.flatMap((round) => round.faults)];
});
