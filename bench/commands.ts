import { median } from 'd3-array';
import { openDatabases } from './databases/database.ts';
import { urlOf } from './databases/queries.ts';
import { embeddedServer, serverNote } from './databases/server.ts';
import { number, table } from './figures/table.ts';
import { commandLine } from './processes/command-line.ts';
import { machine } from './processes/machine.ts';
import { measuredCommand } from './processes/measured-command.ts';
import { run } from './processes/run.ts';

/** How long a command may take with the database up on a warm machine, in milliseconds. */
const bound = 600;
const runs = 10;

const commands: readonly string[] = [
  '--help',
  'completion bash',
  'campaign create --owner 42',
  'campaign list --owner 1',
  'campaign show 1',
  'mirror show 1',
  'mirror history 1',
  'key issue --owner 42 --name bench',
  'key list --owner 1',
  'audit --limit 20',
  'migrate --status',
  'doctor',
];

commandLine(
  'bench:commands',
  "Measures operators' commands, on a PostgreSQL of one's own and on the embedded one.",
)
  .addHelpText('after', `\n${serverNote}`)
  .parse();
await run(async (cleanup) => {
  const { server, first } = await openDatabases({}, cleanup);
  const { folder } = await embeddedServer(cleanup);
  const places = {
    'your PostgreSQL': { DATABASE_URL: urlOf(first.address) },
    embedded: { DATA_DIR: folder },
  };
  const milliseconds = async (call: string, settings: Readonly<Record<string, string>>) =>
    (await measuredCommand(call.split(' '), settings, cleanup)).seconds * 1000;
  for (const settings of Object.values(places)) {
    await milliseconds('campaign create --owner 1', settings);
    await milliseconds('mirror create 1 --target-url https://first.example/', settings);
    await milliseconds('key issue --owner 1 --name bench', settings);
  }
  const rows = [];
  let slowest = 0;
  for (const call of commands) {
    const row: Record<string, string> = { command: call };
    for (const [place, settings] of Object.entries(places)) {
      const times: number[] = [];
      for (let made = 0; made <= runs; made++) times.push(await milliseconds(call, settings));
      // The first one warms up.
      const middle = median(times.slice(1)) ?? Number.NaN;
      slowest = Math.max(slowest, middle);
      row[place] = number(middle, 0);
    }
    rows.push(row);
  }
  console.log(`median of ${runs} runs, in ms; ${machine(server)}\n\n${table(rows)}`);
  console.log(`\nslowest ${slowest.toFixed(0)} ms, at most ${bound} are meant`);
  return slowest <= bound ? [] : [`a command takes ${slowest.toFixed(0)} ms`];
});
