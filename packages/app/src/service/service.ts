import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { printable } from '@campaign-mirror/adapters-cli/terminal';
import { migrationNames, withTimeLimit } from '@campaign-mirror/adapters-persistence/service';
import { Container, type ContainerModule } from 'inversify';
import type { DatabaseAccess } from '../database/database-access.ts';
import { listen, warnOfPlainHttp } from '../http/listening.ts';
import { openLog } from '../logging/log.ts';
import { httpMetrics } from '../metrics/http-metrics.ts';
import { processMetrics } from '../metrics/instruments.ts';
import { aborted, Life, usualTimeout } from '../process/life.ts';
import { project } from '../process/project.ts';
import { endBy, stopSignals } from '../process/stop-signals.ts';
import { readSettings } from '../settings/read-settings.ts';
import { defaultParts } from '../wiring/default-parts.ts';
import { callersListener, opsListener } from '../wiring/listeners.ts';
import { boundParts, type ServiceInput } from '../wiring/tokens.ts';

/** How a program of yours runs the service. */
export interface ServiceOptions {
  /** These are loaded after the service's own modules, and may rebind its `tokens`. */
  readonly modules?: readonly ContainerModule[];
  /** When it resolves, the service stops. By default with the first SIGTERM, SIGINT or SIGHUP. */
  readonly stop?: Promise<NodeJS.Signals>;
  /** Called when the service answers calls, with the port for them and the one for operators. */
  readonly onListening?: (port: number, opsPort: number) => void;
}

/**
 * Runs the service until it is asked to stop. Its settings are variables of this environment, to which those of the file
 * that its ENVIRONMENT_FILE names are added (docs/reference/settings.md). While it runs, an error that nobody catches ends it.
 * Resolves with the exit code, for `process.exit`: 0; 1 after a failure; 2 for a wrong setting, which no restart mends.
 */
export async function runService(
  environment: NodeJS.ProcessEnv,
  options: ServiceOptions = {},
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
  process.on('uncaughtException', fail);
  void gone.then((error) => life.fail(error, 'nobody reads the log any longer'));
  const signals = options.stop ? undefined : stopSignals(endBy);
  void (options.stop ?? signals?.asked)?.then((signal) => life.end(signal));

  const registry = processMetrics(lostLines);
  await live({ settings, version, log, lines, registry, life }, options);
  await life.endParts();
  log.info({ event: 'stopped' }, 'stopped');
  await close();
  signals?.forget();
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
 * Makes the parts, of which `modules` may exchange some, and opens both listeners. Resolves with their ports, unless the
 * process is to end before. @throws ClearError
 */
async function start(
  input: ServiceInput,
  modules: readonly ContainerModule[],
): Promise<[number, number] | undefined> {
  const { settings, log, registry, life } = input;
  const { ending } = life;
  const container = new Container({ defaultScope: 'Singleton' });
  const { module, made } = defaultParts(input);
  let asked = 'a module';
  const making = container.loadAsync(module, ...modules).then(() =>
    boundParts(container, (name) => {
      ending.throwIfAborted();
      asked = `tokens.${name}`;
    }),
  );
  // Our own parts give up by themselves; one of somebody else must not keep the process from ending.
  const inTime = aborted(ending)
    .then(made)
    .then(() => withTimeLimit(usualTimeout, making));
  const parts = await Promise.race([making, inTime]);
  if (parts) life.atEnd('parts', () => container.unbindAllAsync());
  else life.reportHung(asked, `${asked} was being made and did not end within ${usualTimeout} ms`);
  if (!parts || ending.aborted) return undefined;
  const { access: database, own } = await made();
  const shared = { parts, metrics: httpMetrics(registry) };
  const opsPort = await listen(opsListener(input, shared, database), settings, 'OPS_PORT');
  const port = await listen(callersListener(input, shared, own?.isWellFormed), settings, 'PORT');
  const { HOST: host, OPS_HOST: opsHost } = settings;
  const docs = settings.DOCS === 'on' ? ` (a page to try it: ${urlOf(host, port)}/docs)` : '';
  const pages = `${docs}; the page for operators: ${urlOf(opsHost, opsPort)}/`;
  log.info(
    { event: 'listening', host, port, opsHost, opsPort },
    `listening on http://${host}:${port}${pages}`,
  );
  warnOfPlainHttp(settings, log);
  if (database && own?.acceptsKeys && !ending.aborted) await greet(input, database, port);
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
