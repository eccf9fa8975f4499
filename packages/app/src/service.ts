import 'reflect-metadata';
import type { HttpServer } from '@campaign-mirror/adapters-http';
import { Container, type ContainerModule } from 'inversify';
import { ClearError } from './clear-error.ts';
import { awaitDatabase, checkRights, migrateClearly } from './database-start.ts';
import { greet } from './greeting.ts';
import { type Log, openLog } from './log.ts';
import type { LogLines } from './log-lines.ts';
import {
  accessModule,
  coreModule,
  type Given,
  givenModule,
  httpModule,
  identityModule,
  opsModule,
  persistenceModule,
} from './modules.ts';
import type { Readiness } from './readiness.ts';
import { readSettings, type Settings } from './settings.ts';
import type { StopSignals } from './stop-signals.ts';
import { tokens } from './tokens.ts';

/** Runs the service until it is asked to stop; resolves with the exit code. */
export async function runService(environment: NodeJS.ProcessEnv, stop: StopSignals): Promise<number> {
  const read = readSettings(environment);
  if ('wrong' in read) {
    for (const line of read.wrong) console.error(line);
    return 1;
  }
  const { log, lines, close } = openLog(read.settings.LOG_LEVEL);
  const service = new Service(read.settings, log, lines);
  // A reader of our output that is gone is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => service.fail(error, 'an uncaught error'));
  try {
    stop.asked.then((signal) => service.end(signal));
    await service.start();
    await service.ended;
  } catch (error) {
    service.failToStart(error);
  }
  await service.stop();
  await close();
  return service.exitCode;
}

class Service {
  exitCode = 0;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #container = new Container();
  readonly #modules: ContainerModule[];
  #readiness: Readiness | undefined;
  #startFault: unknown;
  readonly #ending = new AbortController();
  readonly ended = new Promise<void>((resolve) => {
    this.#ending.signal.addEventListener('abort', () => resolve());
  });

  constructor(settings: Settings, log: Log, lines: LogLines) {
    this.#settings = settings;
    this.#log = log;
    const given: Given = {
      settings,
      log,
      lines,
      onDatabaseLost: (error) => this.fail(error, 'the embedded database could not be brought back'),
    };
    this.#modules = [
      givenModule(given),
      accessModule(given),
      persistenceModule,
      identityModule,
      coreModule,
      opsModule(given),
      httpModule(given),
    ];
    this.#container.load(...this.#modules);
  }

  /** Ends the service, in order, with exit code 1. */
  fail(error: unknown, what: string): void {
    this.#log.fatal({ event: 'failed', err: error }, what);
    this.exitCode = 1;
    this.#ending.abort();
  }

  end(signal: NodeJS.Signals): void {
    this.#log.info({ event: 'stopping', signal }, `stopping on ${signal}`);
    this.#ending.abort();
  }

  failToStart(error: unknown): void {
    this.#startFault = error;
    this.exitCode = 1;
    if (error instanceof ClearError) console.error(error.message);
    else this.#log.fatal({ event: 'start-failed', err: error }, 'the service could not start');
  }

  /** Between and in its steps it hears that it is to end, and goes no further. @throws ClearError */
  async start(): Promise<void> {
    const { signal } = this.#ending;
    const settings = this.#settings;
    const access = await this.#container.getAsync(tokens.access);
    const owner = access.address('owner');
    await awaitDatabase(owner, settings.DATABASE_WAIT, this.#log, signal);
    if (settings.RUN_MIGRATIONS === 'true') {
      await migrateClearly(owner, (event, line) => this.#log.warn({ event }, line), { givenUp: signal });
    }
    if (signal.aborted) return;
    const database = await this.#container.getAsync(tokens.database);
    await checkRights(database.pool, access.address('service'));
    if (signal.aborted) return;
    this.#readiness = await this.#container.getAsync(tokens.readiness);
    const ops = await this.#container.getAsync(tokens.ops);
    const opsPort = await listen(ops, settings.OPS_PORT, settings.OPS_HOST, 'OPS_PORT');
    const http = await this.#container.getAsync(tokens.http);
    const port = await listen(http, settings.PORT, settings.HOST, 'PORT');
    const where = { host: settings.HOST, port, opsHost: settings.OPS_HOST, opsPort };
    this.#log.info({ event: 'listening', ...where }, `listening on http://${settings.HOST}:${port}`);
    if (!signal.aborted) await greet(settings, access, port, this.#log);
  }

  /** First what was asked is answered; the database is the last to go. Never rejects. */
  async stop(): Promise<void> {
    this.#readiness?.startDraining();
    for (const module of this.#modules.reverse()) {
      try {
        await this.#container.unloadAsync(module);
      } catch (error) {
        // What could not be made can not be ended either, and was told of.
        if (error === this.#startFault) continue;
        this.#log.error({ event: 'stop-failed', err: error }, 'a part did not end as it should');
        this.exitCode = 1;
      }
    }
    this.#log.info({ event: 'stopped' }, 'stopped');
  }
}

/** @throws ClearError when the port is in use, or not ours to take */
async function listen(
  server: HttpServer,
  port: number,
  host: string,
  name: 'PORT' | 'OPS_PORT',
): Promise<number> {
  try {
    return (await server.listen(port, host)).port;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'EADDRINUSE')
      throw new ClearError(`${name} ${port} on ${host} is in use: free it, or set ${name}`);
    if (code === 'EACCES')
      throw new ClearError(`${name} ${port} on ${host} may not be used by this user: set ${name}`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
      throw new ClearError(`${name}: ${JSON.stringify(host)} is no address of this machine`);
    }
    throw error;
  }
}
