import 'reflect-metadata';
import { PrimaryChannel } from '../fleet/primary-channel.ts';
import type { Begin } from '../fleet/worker-process.ts';
import { type OpenedLog, openLog } from '../logging/log.ts';
import { aborted, Life } from '../process/life.ts';
import { readSettings } from '../settings/read-settings.ts';
import type { Settings } from '../settings/settings.ts';
import { live } from '../wiring/process-kind.ts';
import { servingProcess } from './serving-process.ts';

/** Runs a worker until its primary ends it or disappears; resolves with the exit code. */
export async function runWorker(environment: NodeJS.ProcessEnv): Promise<number> {
  const channel = new PrimaryChannel();
  const begin = channel.once('begin');
  channel.tell({ kind: 'awake' });
  // Read again for each worker: files may have changed since the primary was started.
  const read = readSettings(environment);
  if ('wrong' in read) {
    channel.tell({ kind: 'fault', line: read.wrong.join('\n') });
    await channel.farewell();
    return 1;
  }
  const log = openLog(read.settings.LOG_LEVEL, { shared: true });
  const told = await Promise.race([begin, channel.gone]);
  const code = told ? await serve(read.settings, told, log, channel) : 1;
  await log.close();
  await channel.farewell();
  return code;
}

async function serve(
  settings: Settings,
  begin: Begin,
  { log, lines, lostLines, toggleLevel }: OpenedLog,
  channel: PrimaryChannel,
): Promise<number> {
  const life = new Life(log, (line) => channel.tell({ kind: 'fault', line }));
  process.on('uncaughtException', (error) => life.fail(error, 'an uncaught error'));
  channel.on('toggle-level', toggleLevel);
  channel.on('end', ({ isRelieved }) => {
    life.isRelieved = isRelieved;
    life.end('the word of the primary');
  });
  void channel.gone.then(() => life.end('the end of the primary'));
  void aborted(life.ending).then(() => channel.tell({ kind: 'ending' }));
  const ours = { ...settings, PORT: begin.port, POOL_SIZE: begin.poolSize, SHUTDOWN_DELAY: 0 };
  const given = { settings: ours, log, lines, lostLines, life };
  await live(servingProcess(given, begin, channel), given);
  return life.exitCode;
}
