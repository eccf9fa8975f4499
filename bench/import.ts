import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { campaignFields } from '@campaign-mirror/domain';
import { openDatabases } from './databases/database.ts';
import { serverNote } from './databases/server.ts';
import { commandLine, wholeNumber } from './processes/command-line.ts';
import { machine } from './processes/machine.ts';
import { measuredCommand } from './processes/measured-command.ts';
import { run } from './processes/run.ts';

/** Campaigns as a spreadsheet has them, some with quotation marks. */
function* lines(rows: number) {
  const time = '2026-11-20T15:36:00.123456Z';
  yield `${campaignFields.join(',')}\n`;
  for (let n = 1; n <= rows; n++) {
    const address = `https://landing-${n % 90}.example/${n}?click={click_id}&sub=[sub]`;
    const mirror = [n, address, n % 1000, true, time, time, time];
    yield `${[n, `"Campaign ""${n}"""`, (n % 1000) + 1, false, time, ...mirror].join(',')}\n`;
  }
}

const { rows } = commandLine(
  'bench:import',
  'Measures import, export, backup and restore, each by its command.',
)
  .option('--rows <N>', 'how many campaigns, each with a mirror', wholeNumber(1, 100_000_000), 100_000)
  .addHelpText('after', `\n${serverNote}`)
  .parse()
  .opts();

await run(async (cleanup) => {
  const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  const { server, first, copy } = await openDatabases({ role: 'operator' }, cleanup);
  const second = await copy();
  console.log(`${machine(server)}\n${rows} campaigns, each with a mirror`);
  await pipeline(Readable.from(lines(rows)), createWriteStream(join(folder, 'csv')));
  for (const [command, name, { url }] of [
    ['import', 'csv', first],
    ['export', 'exported', first],
    ['backup', 'backup', first],
    ['restore', 'backup', second],
  ] as const) {
    const file = join(folder, name);
    const { seconds, peak } = await measuredCommand([command, file], { DATABASE_URL: url }, cleanup);
    const size = ((await stat(file)).size / 2 ** 20).toFixed(0);
    const rate = (rows / seconds).toFixed(0);
    console.log(
      `${command}: ${seconds.toFixed(1)} s, ${rate} campaigns a second, ${peak?.toFixed(0)} MB at most, a file of ${size} MB`,
    );
  }
  return [];
});
