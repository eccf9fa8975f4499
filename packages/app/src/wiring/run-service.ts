import { setTimeout as pause } from 'node:timers/promises';
import { printable } from '@campaign-mirror/adapters-cli/terminal';
import { trustedProxies } from '@campaign-mirror/adapters-http';
import { migrationNames } from '@campaign-mirror/adapters-persistence/service';
import { maxAttempts } from '@campaign-mirror/domain';
import { Container, type ContainerModule } from 'inversify';
import { urlOf } from '../http/listeners.ts';
import { openLog } from '../logging/log.ts';
import { processMetrics } from '../metrics/service-metrics.ts';
import { aborted, Life, type ServiceInput } from '../process/life.ts';
import { endBy, stopSignals } from '../process/stop-signals.ts';
import { project, versionText } from '../process/version.ts';
import { readSettings } from '../settings/read-settings.ts';
import { checkParts, serviceModule, tokens } from './service-module.ts';

/** How your program runs the service. */
export interface ServiceOptions {
  /** Loaded after the service's own module. They may rebind or decorate its `tokens`. */
  readonly modules?: readonly ContainerModule[];
  /**
   * The service stops when this promise resolves; by default with the first SIGTERM, SIGINT or SIGHUP, or an uncaught
   * error. With this option, your program handles uncaught errors.
   */
  readonly stop?: Promise<NodeJS.Signals>;
  /** Called when the service answers calls, with the port for callers and the port for operators. */
  readonly onListening?: (port: number, opsPort: number) => void;
}

/**
 * Runs the service until it is stopped. Its settings are the variables of this environment and of the file that
 * ENVIRONMENT_FILE names (docs/reference/settings.md). Resolves with the exit code for `process.exit`: 0; 1 after a
 * failure; 2 for a wrong setting, which a restart does not fix. `signals`: those that the process already handles.
 */
export async function runService(
  environment: NodeJS.ProcessEnv,
  { modules = [], stop, onListening }: ServiceOptions = {},
  signals = stop ? undefined : stopSignals(endBy),
): Promise<number> {
  const read = readSettings(environment);
  if ('wrong' in read) {
    for (const line of read.wrong) console.error(printable(line));
    signals?.ignore();
    return 2;
  }
  const { settings, changed } = read;
  const { log, print, gone, lostLines, close } = openLog(settings.LOG_LEVEL);
  const version = { ...project(), node: process.version, migration: migrationNames.at(-1) ?? '-' };
  const { name: _, ...versions } = version;
  log.info(
    { event: 'starting', ...versions, settings: changed },
    `version ${versionText(version)} is starting`,
  );
  const life = new Life(log);
  const fail = (error: unknown) => life.fail(error, 'an uncaught error');
  if (signals) process.on('uncaughtException', fail);
  void gone.then((error) => life.fail(error, 'nobody reads the log any longer'));
  void (stop ?? signals?.received)?.then((signal) => life.end(signal));
  const input = { settings, version, log, print, registry: processMetrics(lostLines), life };
  try {
    const ports = await start(input, modules);
    onListening?.(...ports);
    await aborted(life.ending);
    // After a failure, new callers are no longer served.
    if (life.exitCode === 0) await pause(settings.SHUTDOWN_DELAY);
  } catch (error) {
    // A start that a stop signal interrupted has not failed.
    if (!life.ending.aborted || error !== life.ending.reason) life.failToStart(error);
  }
  await life.endParts();
  log.info({ event: 'stopped' }, 'stopped');
  await close();
  signals?.ignore();
  process.off('uncaughtException', fail);
  return life.exitCode;
}

/** Resolves with the ports. @throws ClearError, or the reason of `life.ending` if the process ends before */
async function start(input: ServiceInput, modules: readonly ContainerModule[]): Promise<[number, number]> {
  const { settings, log, life } = input;
  const { module, databaseOfKeys, callers, operators } = serviceModule(input);
  const container = new Container({ defaultScope: 'Singleton' });
  await container.loadAsync(module, ...modules);
  checkParts(container);
  const application = await container.getAsync(tokens.application);
  // Made last: it shows the database only if callers need one.
  const opsApplication = await container.getAsync(tokens.opsApplication);
  life.atEnd('parts', () => container.unbindAllAsync());
  life.ending.throwIfAborted();
  // A call may wait for a locked mirror in every attempt.
  const timeout = 75_000 + maxAttempts * settings.STATEMENT_TIMEOUT;
  const opsPort = await operators.serve(opsApplication, timeout);
  const port = await callers.serve(application, timeout);
  const { HOST: host, OPS_HOST: opsHost } = settings;
  const docs = settings.DOCS === 'on' ? ` (a page to try it: ${urlOf(host, port)}/docs)` : '';
  const line = `listening on http://${host}:${port}${docs}; the page for operators: ${urlOf(opsHost, opsPort)}/`;
  log.info({ event: 'listening', host, port, opsHost, opsPort }, line);
  const isLoopback = host === 'localhost' || trustedProxies(['loopback']).has(host);
  const exposed =
    'others can reach this service over plain HTTP: put a TLS proxy in front of it, and name it in TRUSTED_PROXIES';
  if (!settings.TRUSTED_PROXIES && !isLoopback) log.warn({ event: 'plain-http-exposed', host }, exposed);
  const database = await databaseOfKeys();
  if (database && !life.ending.aborted) {
    const { greet } = await import('../administration/demonstration.ts');
    await greet(input, database, urlOf(host, port));
  }
  return [port, opsPort];
}
