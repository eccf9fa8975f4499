import { setTimeout as pause } from 'node:timers/promises';
import { printable } from '@campaign-mirror/adapters-cli/terminal';
import { migrationNames, withTimeLimit } from '@campaign-mirror/adapters-persistence/service';
import { Container, type ContainerModule } from 'inversify';
import type { DatabaseAccess } from '../database/database-access.ts';
import { warnOfPlainHttp } from '../http/listening.ts';
import { openLog } from '../logging/log.ts';
import { processMetrics } from '../metrics/instruments.ts';
import { aborted, Life, usualTimeout } from '../process/life.ts';
import { project } from '../process/project.ts';
import { endBy, stopSignals } from '../process/stop-signals.ts';
import { readSettings } from '../settings/read-settings.ts';
import { guarded } from '../wiring/exchanged.ts';
import { openCallers, openOperators } from '../wiring/listeners.ts';
import { fit, ownParts } from '../wiring/parts.ts';
import type { ServiceInput } from '../wiring/tokens.ts';

/** How a program of yours runs the service. */
export interface ServiceOptions {
  /** These are loaded after the service's own modules, and may rebind or decorate its `tokens`. */
  readonly modules?: readonly ContainerModule[];
  /**
   * When it resolves, the service stops. By default with the first SIGTERM, SIGINT or SIGHUP, and with an error that nobody
   * catches; with it, your program decides what such an error does.
   */
  readonly stop?: Promise<NodeJS.Signals>;
  /** Called when the service answers calls, with the port for them and the one for operators. */
  readonly onListening?: (port: number, opsPort: number) => void;
}

/**
 * Runs the service until it is asked to stop. Its settings are variables of this environment, to which those of the file
 * that its ENVIRONMENT_FILE names are added (docs/reference/settings.md). Without `stop`, an error that nobody catches ends
 * it. Resolves with the exit code, for `process.exit`: 0; 1 after a failure; 2 for a wrong setting, which no restart mends.
 */
export async function runService(
  environment: NodeJS.ProcessEnv,
  options: ServiceOptions = {},
): Promise<number> {
  if (options.stop) return await run(environment, options);
  const signals = stopSignals(endBy);
  return await run(environment, options, signals).finally(signals.forget);
}

/** `signals`: of a process that is the service's own, which also ends by an error that nobody catches. */
export async function run(
  environment: NodeJS.ProcessEnv,
  options: ServiceOptions,
  signals?: ReturnType<typeof stopSignals>,
): Promise<number> {
  const read = readSettings(environment);
  if ('wrong' in read) {
    for (const line of read.wrong) console.error(printable(line));
    return 2;
  }
  const { settings, changed } = read;
  const { log, lines, gone, lostLines, close } = openLog(settings.LOG_LEVEL);
  const version = { ...project(), node: process.version, migration: migrationNames.at(-1) ?? '-' };
  const { name: _, ...parts } = version;
  log.info({ event: 'starting', ...parts, settings: changed }, `version ${version.version} is starting`);
  const life = new Life(log);
  const fail = (error: unknown) => life.fail(error, 'an uncaught error');
  if (signals) process.on('uncaughtException', fail);
  void gone.then((error) => life.fail(error, 'nobody reads the log any longer'));
  void (options.stop ?? signals?.asked)?.then((signal) => life.end(signal));

  const registry = processMetrics(lostLines);
  await live({ settings, version, log, lines, registry, life }, options);
  await life.endParts();
  log.info({ event: 'stopped' }, 'stopped');
  await close();
  process.off('uncaughtException', fail);
  return life.exitCode;
}

/** From the start until the process is to end (contract: life). Never rejects. */
async function live(input: ServiceInput, { modules = [], onListening }: ServiceOptions): Promise<void> {
  const { settings, life } = input;
  try {
    const ports = await start(input, modules);
    if (ports) onListening?.(...ports);
    await aborted(life.ending);
    // After a failure, new callers are not served any longer.
    if (ports && !life.failing.aborted) {
      await pause(settings.SHUTDOWN_DELAY, undefined, { signal: life.failing }).catch(() => {});
    }
  } catch (error) {
    // A start that was given up, because the process is to end, has not failed.
    if (!life.ending.aborted || error !== life.ending.reason) life.failToStart(error);
  }
}

/**
 * Makes the applications, of whose parts `modules` may exchange some, and opens both listeners. Resolves with their ports,
 * unless the process is to end before. @throws ClearError
 */
async function start(
  input: ServiceInput,
  modules: readonly ContainerModule[],
): Promise<[number, number] | undefined> {
  const { settings, log, life } = input;
  const { module, made, callers, operators } = ownParts(input);
  const container = new Container({ defaultScope: 'Singleton' });
  const make = async () => {
    await container.loadAsync(module, ...modules.map(guarded));
    const app = await container.getAsync(fit.application);
    // After what callers need: it shows the database only if they need one.
    return { app, opsApp: await container.getAsync(fit.opsApplication) };
  };
  const making = make();
  // Our own parts give up by themselves; one of somebody else must not keep the process from ending.
  const inTime = aborted(life.ending)
    .then(() => made.database)
    .then(() => withTimeLimit(usualTimeout, making));
  const apps = await Promise.race([making, inTime]);
  if (!apps) {
    const name = [...made.asked].at(-1);
    const part = name ? `tokens.${name}` : 'a module';
    life.reportHung(part, `${part} was being made and did not end within ${usualTimeout} ms`);
    return undefined;
  }
  life.atEnd('parts', () => container.unbindAllAsync());
  if (life.ending.aborted) return undefined;
  const opsPort = await openOperators(apps.opsApp, operators, input);
  const port = await openCallers(apps.app, callers, input);
  const { HOST: host, OPS_HOST: opsHost } = settings;
  const docs = settings.DOCS === 'on' ? ` (a page to try it: ${urlOf(host, port)}/docs)` : '';
  const pages = `${docs}; the page for operators: ${urlOf(opsHost, opsPort)}/`;
  log.info(
    { event: 'listening', host, port, opsHost, opsPort },
    `listening on http://${host}:${port}${pages}`,
  );
  warnOfPlainHttp(settings, log);
  const database = await made.database;
  if (database && made.identity && settings.IDENTITY !== 'jwt' && !life.ending.aborted)
    await greet(input, database, port);
  return [port, opsPort];
}

/** The URL to call a listener on this machine, even if it listens on every address. */
function urlOf(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * Shows a newcomer what to call, on standard output, but not in the log, because the text contains a key. The
 * demonstration set is created if the database has never contained any data; otherwise the text says how to get a key.
 */
async function greet(
  { settings, log, lines }: ServiceInput,
  database: DatabaseAccess,
  port: number,
): Promise<void> {
  const isWanted = settings.DEMO === undefined ? database.embedded : settings.DEMO === 'on';
  if (!isWanted) return;
  try {
    const { demonstration } = await import('../operator/demonstration.ts');
    lines.write(await demonstration(database, urlOf(settings.HOST, port)));
  } catch (error) {
    log.warn({ event: 'demonstration-failed', err: error }, 'the demonstration set could not be created');
  }
}
