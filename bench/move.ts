import { openDatabases } from './databases/database.ts';
import { newKeys } from './databases/seed.ts';
import { serverNote } from './databases/server.ts';
import { commandLine, wholeNumber } from './processes/command-line.ts';
import { machine } from './processes/machine.ts';
import { measuredCommand } from './processes/measured-command.ts';
import { run } from './processes/run.ts';

const { mirrors, dryRun } = commandLine('bench:move', 'Measures how long `mirror move` takes.')
  .option(
    '--mirrors <N>',
    'how many there are, each on the host that moves',
    wholeNumber(1_000, 10_000_000),
    10_000,
  )
  .option('--dry-run', 'measures what `mirror move --dry-run` takes')
  .addHelpText('after', `\n${serverNote}`)
  .parse()
  .opts();

await run(async (cleanup) => {
  const filling = { campaigns: mirrors, keys: newKeys(1_000) };
  const { server, first } = await openDatabases({ filling, role: 'operator' }, cleanup);
  console.log(machine(server));
  const move = [
    'mirror',
    'move',
    '--from-host',
    'mirror.example',
    '--to-host',
    'new.example',
    '--subdomains',
  ];
  const words = dryRun ? [...move, '--dry-run'] : move;
  const { seconds, peak } = await measuredCommand(words, { DATABASE_URL: first.url }, cleanup);
  const rate = (mirrors / seconds).toFixed(0);
  console.log(
    `${words.join(' ')}\n${mirrors} mirrors: ${seconds.toFixed(1)} s, ${rate} a second, ${peak?.toFixed(0)} MB at most`,
  );
  return [];
});
