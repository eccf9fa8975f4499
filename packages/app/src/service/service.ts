import 'reflect-metadata';
import { printable } from '@campaign-mirror/adapters-cli/terminal';
import { type Log, openLog } from '../logging/log.ts';
import { Life } from '../process/life.ts';
import { hasControllingTerminal, type StopSignals } from '../process/stop-signals.ts';
import { version } from '../process/version.ts';
import { type Origins, readSettings } from '../settings/read-settings.ts';
import { type Setting, type SettingName, settings } from '../settings/settings.ts';
import { live } from '../wiring/process-kind.ts';
import { oneProcess } from './one-process.ts';

const noReload =
  'SIGHUP is ignored: one process reads its settings when it starts. Restart the service, or set WORKERS=2 or more for rolling restarts';

/** Runs the service until it is asked to stop; resolves with the exit code. */
export async function runService(environment: NodeJS.ProcessEnv, stop: StopSignals): Promise<number> {
  const read = readSettings(environment);
  if ('wrong' in read) {
    for (const line of read.wrong) console.error(printable(line));
    return 1;
  }
  const { settings, origins, notes } = read;
  const isAlone = settings.WORKERS === 1;
  const { log, lines, lostLines, toggleLevel, close } = openLog(settings.LOG_LEVEL, { shared: !isAlone });
  tellOfStart(log, origins);
  for (const note of notes) log.warn({ event: 'setting-doubtful' }, note);
  const life = new Life(log);
  process.on('uncaughtException', (error) => life.fail(error, 'an uncaught error'));
  stop.asked.then((signal) => life.end(signal));

  const given = { settings, log, lines, lostLines, life };
  const inTerminal = hasControllingTerminal();
  if (isAlone) {
    const refuse = () => log.warn({ event: 'reload-ignored' }, noReload);
    stop.decideHangUp(inTerminal ? undefined : refuse);
    process.on('SIGUSR2', toggleLevel);
    await live(oneProcess(given), given);
  } else {
    const { primary } = await import('./primary.ts');
    await live(primary(given, { toggleLevel, stop, restarts: !inTerminal }), given);
  }
  await close();
  return life.exitCode;
}

/** The maximum length of a value shown, in characters. */
const maxShown = 200;

/** The first line of a process: what starts, and how it is configured. */
function tellOfStart(log: Log, origins: Origins): void {
  const { version: ours, node, migration } = version();
  const set = chosen(origins);
  log.info(
    { event: 'starting', version: ours, node, migration, settings: set },
    `version ${ours} is starting`,
  );
}

/** The settings that differ from their defaults, as written; a secret's value is never shown. */
function chosen(origins: Origins): Record<string, string> {
  const names = Object.keys(origins) as SettingName[];
  const differing = names.filter((name) => {
    const { byDefault, secret }: Setting = settings[name];
    const { text } = origins[name];
    return !secret && text !== undefined && text !== byDefault;
  });
  return Object.fromEntries(differing.map((name) => [name, origins[name].text?.slice(0, maxShown) ?? '']));
}
