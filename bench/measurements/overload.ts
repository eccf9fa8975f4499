import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { number, table } from '../figures/statistics.ts';
import { answerFaults } from '../load/generator.ts';
import { loadOf } from '../load/plan.ts';
import { type Cleanup, memoryOf } from '../machine/machine.ts';
import { startOurs } from './contenders.ts';
import { type Options, openBench } from './rounds.ts';

const notes = `Each caller sends again after its answer; 512 callers have all slots (MAX_IN_FLIGHT).
A refusal takes a second. p99 is that of all answers, refusals included.`;

/** The share of the rate of 512 callers that more callers must leave. */
const bar = 0.8;

/** How long each byte takes to the database, in milliseconds: without a delay, it would compete with the generator. */
const delay = 100;

/** How the service behaves with more callers than it can carry. */
export async function overload(options: Options, cleanup: Cleanup): Promise<readonly string[]> {
  const { loads, rounds, seconds, warmUp, set } = options;
  const bench = await openBench(options, cleanup);
  const database = await bench.databases.copy();
  const url = new URL(database.url);
  url.port = String(await delayedServer(url, cleanup));
  const { port, processId } = await startOurs(bench, { settings: set, database: { ...database, url } });
  await bench.generator.send(port, loadOf('256'), warmUp);
  const faults: string[] = [];
  const rows: Record<string, string>[] = [];
  let within = 0;
  for (let round = 0; round < rounds; round++)
    for (const load of loads) {
      const { name } = load;
      const middle = pause(seconds * 500).then(() => memoryOf(processId));
      const answers = await bench.generator.send(port, load, seconds);
      const [before, after] = [await middle, memoryOf(processId)];
      const [accepted = 0, refused = 0] = ['200', '503'].map(
        (status) => (answers.answered[status] ?? 0) / answers.seconds,
      );
      faults.push(...answerFaults(answers, '200', '503').map((fault) => `${name} callers: ${fault}`));
      if (load.connections < 512 && refused > 0) faults.push(`${name} callers: requests were refused`);
      if (accepted < bar * within) faults.push(`${name} callers: too few requests were accepted`);
      if (load.connections === 512) within = accepted;
      rows.push({
        ...{
          callers: name,
          'accepted a second': number(accepted, 0),
          'refused a second': number(refused, 0),
        },
        ...{ 'of 512 callers': within ? number(accepted / within, 2) : '', 'p99 ms': number(answers.p99, 1) },
        MB: `${number(before, 0)} to ${number(after, 0)}`,
      });
      console.error(`${name} callers: ${number(accepted, 0)} a second`);
      // Refusals of this load may still wait, and its connections are closing.
      await pause(3_000);
    }
  console.log(`\nA database that is ${delay} ms away\n${table(rows)}\n\n${notes}\n\n${bench.where}`);
  return faults;
}

/** A port of 127.0.0.1 that delays what is sent to the server, but not its answers. */
async function delayedServer({ hostname, port }: URL, cleanup: Cleanup): Promise<number> {
  const server = createServer((client) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    client.on('data', (bytes) => void pause(delay).then(() => upstream.write(bytes)));
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('error', () => {}).on('close', () => upstream.destroy());
    upstream.on('error', () => {}).on('close', () => client.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup.push(() => server.close());
  return (server.address() as AddressInfo).port;
}
