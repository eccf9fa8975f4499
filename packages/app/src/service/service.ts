import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { printable } from '@campaign-mirror/adapters-cli/terminal';
import { type Database, openDatabase } from '@campaign-mirror/adapters-persistence';
import { Container, type ContainerModule } from 'inversify';
import type { DatabaseAccess } from '../database/database-access.ts';
import { listen, warnOfPlainHttp } from '../http/listening.ts';
import { type Log, levelToggle, openLog } from '../logging/log.ts';
import { processMetrics } from '../metrics/instruments.ts';
import { asOperator, type OperatorSession } from '../operator/command-database.ts';
import { createInEmptyDatabase, firstCalls, laterCalls } from '../operator/demonstration.ts';
import { aborted, Life, sendLastSpans } from '../process/life.ts';
import { endBy, stopSignal } from '../process/stop-signals.ts';
import { version } from '../process/version.ts';
import { addEnvironmentFile, forgetOrmVariables } from '../settings/environment.ts';
import { type Origins, type ReadSettings, readSettings } from '../settings/read-settings.ts';
import { type Setting, type SettingName, settings as table } from '../settings/settings.ts';
import { databaseModule } from '../wiring/database-module.ts';
import { httpModule } from '../wiring/http-module.ts';
import { operationsModule } from '../wiring/operations-module.ts';
import { type ModuleInput, parts } from '../wiring/tokens.ts';
import { useCaseModule } from '../wiring/use-case-module.ts';

/**
 * Shows a newcomer what to call, on standard output, but not in the log, because it contains a key. The demonstration
 * set is created where the database has never held any data; otherwise the text says how to get a key.
 */
export async function greet(
  { settings, log, lines }: ModuleInput,
  access: DatabaseAccess,
  port: number,
): Promise<void> {
  if (settings.DEMO === undefined ? !access.embedded : settings.DEMO === 'off') return;
  try {
    const operator = 'the service, at its start';
    const base = urlOf(settings.HOST, port);
    const greeting = async (as: OperatorSession<Database>) => {
      const made = await createInEmptyDatabase(as);
      return made ? firstCalls(made, base) : laterCalls;
    };
    lines.write(await asOperator(openDatabase, access, greeting, operator));
  } catch (error) {
    log.warn({ event: 'demonstration-failed', err: error }, 'the demonstration set could not be made');
  }
}

/** Where to call a listener, also one on every address of the machine. */
export function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** What a program of yours may say when it runs the service. */
export interface ServiceOptions {
  /** They are loaded after the service's own, and may rebind its `tokens`. */
  readonly modules?: readonly ContainerModule[];
  /** When it resolves, the service stops. By default with the first SIGTERM, SIGINT or SIGHUP. */
  readonly stop?: Promise<NodeJS.Signals>;
  /** Called once calls are answered. */
  readonly onListening?: (port: number) => void;
}

/**
 * Runs the service until it is asked to stop. Its settings are variables of this environment, or of the file that its
 * ENVIRONMENT_FILE names (docs/reference/settings.md).
 * Resolves with the exit code, for `process.exit`: 0; 1 after a failure; 2 for a wrong setting, which no restart mends.
 */
export async function runService(
  environment: NodeJS.ProcessEnv,
  options: ServiceOptions = {},
): Promise<number> {
  const { stop = stopSignal(endBy) } = options;
  forgetOrmVariables(process.env);
  const read = readAllSettings(environment);
  if ('wrong' in read) {
    for (const line of read.wrong) console.error(printable(line));
    return 2;
  }
  const { settings, origins, notes } = read;
  const { log, lines, gone, lostLines, close } = openLog(settings.LOG_LEVEL);
  logStart(log, origins);
  for (const note of notes) log.warn({ event: 'setting-doubtful' }, note);
  const life = new Life(log);
  process.on('uncaughtException', (error) => life.fail(error, 'an uncaught error'));
  process.on('SIGUSR2', levelToggle(log, settings.LOG_LEVEL));
  void gone.then((error) => life.fail(error, 'nobody reads the log any longer'));
  void stop.then((signal) => life.end(signal));

  await live({ settings, log, lines, registry: processMetrics(lostLines), life }, options);
  await life.endParts();
  await sendLastSpans();
  log.info({ event: 'stopped' }, 'stopped');
  await close();
  return life.exitCode;
}

/** With those of the file that ENVIRONMENT_FILE names. */
function readAllSettings(environment: NodeJS.ProcessEnv): ReadSettings {
  const variables = { ...environment };
  try {
    addEnvironmentFile(variables);
  } catch (error) {
    return { wrong: [(error as Error).message], about: [] };
  }
  return readSettings(variables);
}

/** From the start until the process is to end (contract: life). Never rejects. */
async function live(given: ModuleInput, { modules = [], onListening }: ServiceOptions): Promise<void> {
  const { settings, life } = given;
  const container = new Container({ defaultScope: 'Singleton' });
  const own = [databaseModule, useCaseModule, httpModule, operationsModule].map((part) => part(given));
  try {
    await container.loadAsync(...own, ...modules);
    const port = await start(container, given);
    if (port !== undefined) onListening?.(port);
    await aborted(life.ending);
    // After a failure, new callers are not served any longer.
    if (port !== undefined && !life.failing.aborted) {
      await pause(settings.SHUTDOWN_DELAY, undefined, { signal: life.failing }).catch(() => {});
    }
  } catch (error) {
    // A start that was given up has not failed.
    if (error !== life.ending.reason) life.failToStart(error);
  }
}

/** Stops between and within its steps when the process is to end. The port where it serves. @throws ClearError */
async function start(container: Container, given: ModuleInput): Promise<number | undefined> {
  const { settings, log, life } = given;
  const { ending } = life;
  const access = await container.getAsync(parts.opened);
  if (ending.aborted) return undefined;
  const ops = await container.getAsync(parts.ops);
  const opsPort = await listen(ops, settings, 'OPS_PORT');
  const http = await container.getAsync(parts.http);
  const port = await listen(http, settings, 'PORT');
  const where = { host: settings.HOST, port, opsHost: settings.OPS_HOST, opsPort };
  const docs = settings.DOCS === 'on' ? ` (a page to try it: ${urlOf(settings.HOST, port)}/docs)` : '';
  const pages = `${docs}; the page for operators: ${urlOf(settings.OPS_HOST, opsPort)}/`;
  log.info({ event: 'listening', ...where }, `listening on http://${settings.HOST}:${port}${pages}`);
  warnOfPlainHttp(settings, log);
  const isShown = access && (await container.getAsync(parts.knowsKeys));
  if (isShown && !ending.aborted) await greet(given, access, port);
  return port;
}

/** The maximum length of a value shown, in characters. */
const maxShown = 200;

/** The first line of a process: what starts, and the settings that differ from their defaults; no secret. */
function logStart(log: Log, origins: Origins): void {
  const { version: ours, node, migration } = version();
  const differing = (Object.keys(origins) as SettingName[]).flatMap((name) => {
    const { byDefault, secret }: Setting = table[name];
    const { text } = origins[name];
    return secret || text === undefined || text === byDefault ? [] : [[name, text.slice(0, maxShown)]];
  });
  const settings = Object.fromEntries(differing);
  log.info({ event: 'starting', version: ours, node, migration, settings }, `version ${ours} is starting`);
}
