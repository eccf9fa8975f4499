import type { CountForWorkers } from '../limits/counts-for-workers.ts';
import type { Log } from '../logging/log.ts';
import { aborted, type Life } from '../process/life.ts';
import { FleetCounts } from './fleet-counts.ts';
import { type Begin, type WorkerEnd, WorkerProcess } from './worker-process.ts';
import { WorkerSlot } from './worker-slot.ts';

/** How long the event loop of a worker may be silent, in milliseconds. */
const longestSilence = 10_000;
const betweenLooks = 1_000;
/** What a worker needs to end besides SHUTDOWN_TIMEOUT, in milliseconds: last answers, key uses, pool, spans, log. */
export const workerEndGrace = 9_000;

interface FleetOptions {
  readonly workers: number;
  /** The path of the file that a worker runs. */
  readonly program: string;
  readonly begin: Begin;
  readonly shutdownTimeout: number;
  /** Where the primary counts for its workers. */
  readonly count?: CountForWorkers | undefined;
  readonly log: Log;
  readonly life: Life;
}

/** The workers of a primary. */
export class Fleet {
  readonly counts = new FleetCounts();
  /** Workers that a restart has replaced. */
  relieved = 0;
  readonly #options: FleetOptions;
  readonly #over = new AbortController();
  #reportedSilent: readonly number[] = [];
  #slots: WorkerSlot[] = [];
  #restarts = 0;
  #toggled = false;

  constructor(options: FleetOptions) {
    this.#options = options;
    // However the primary ends, it leaves no worker behind.
    process.once('exit', () => {
      for (const worker of this.#workers) worker.kill();
    });
  }

  /**
   * Starts all workers; the first ones wait until all are ready, so that connections are shared evenly from the start.
   * Resolves with the port, or undefined where it is to end meanwhile. @throws WorkerFault of the first that has one
   */
  async start(): Promise<number | undefined> {
    const { workers, log, life } = this.#options;
    const fork = () => this.#fork();
    const surroundings = { log, over: this.#over.signal, fork };
    this.#slots = Array.from({ length: workers }, () => new WorkerSlot(surroundings));
    setInterval(() => this.#tellOfSilence(), betweenLooks).unref();
    const first = this.#slots.map(({ present }) => present);
    const givenUp = aborted(life.ending).then(() => undefined);
    await Promise.race([givenUp, Promise.all(first.map(({ prepared }) => prepared))]);
    if (life.ending.aborted) return undefined;
    const ports = await Promise.race([givenUp, Promise.all(first.map((worker) => worker.listen()))]);
    for (const slot of this.#slots) slot.keep();
    return ports?.[0];
  }

  get wanted(): number {
    return this.#options.workers;
  }

  /** Workers that ended by themselves. */
  get lost(): number {
    return this.#slots.reduce((sum, { lost }) => sum + lost, 0);
  }

  get ready(): number {
    return this.#workers.filter(({ isReady }) => isReady).length;
  }

  /** Workers whose event loop does not run. */
  get silent(): number[] {
    const now = performance.now();
    return this.#workers.filter(({ heardAt }) => now - heardAt > longestSilence).map(({ id }) => id);
  }

  #tellOfSilence(): void {
    const { log } = this.#options;
    const { silent } = this;
    for (const id of silent.filter((one) => !this.#reportedSilent.includes(one))) {
      const line = `the event loop of worker ${id} has been silent for ${longestSilence / 1_000} s`;
      log.error({ event: 'worker-silent', silent: id }, line);
    }
    for (const id of this.#reportedSilent.filter((one) => !silent.includes(one))) {
      log.warn({ event: 'worker-silent-no-more', silent: id }, `worker ${id} responds again, or has ended`);
    }
    this.#reportedSilent = silent;
  }

  /** Of the log; later workers receive it, too. */
  toggleLevel(): void {
    this.#toggled = !this.#toggled;
    for (const worker of this.#workers) worker.toggleLevel();
  }

  #fork(): WorkerProcess {
    const worker = new WorkerProcess(this.#options.program, this.#options.begin, this.#options.count);
    this.counts.follow(worker);
    if (this.#toggled) worker.toggleLevel();
    return worker;
  }

  /** Replaces the workers one after the other; a request during a restart starts one more after it. */
  async restart(): Promise<void> {
    this.#restarts += 1;
    if (this.#restarts > 1) return;
    for (let [begun, whole] = [0, true]; whole && begun < this.#restarts; ) {
      begun = this.#restarts;
      whole = await this.#restartOnce();
    }
    this.#restarts = 0;
  }

  /** False when it was aborted: the remaining workers continue to serve. */
  async #restartOnce(): Promise<boolean> {
    const { log, shutdownTimeout, life } = this.#options;
    log.info({ event: 'restarting', workers: this.#slots.length }, 'restarting, one worker after the other');
    try {
      for (const slot of this.#slots) {
        if (life.ending.aborted) return false;
        const old = await slot.replace();
        if (!old) continue;
        this.relieved += 1;
        this.#judge(old, await old.end(true, shutdownTimeout + workerEndGrace));
      }
    } catch (fault) {
      if (life.ending.aborted) return false;
      const line = (fault as Error).message;
      log.error({ event: 'restart-failed' }, `the new worker cannot serve, the others go on: ${line}`);
      return false;
    }
    log.info({ event: 'restarted', workers: this.#slots.length }, 'restarted');
    return true;
  }

  /** Lets all workers answer their requests, and waits for their end. */
  async end(): Promise<void> {
    this.#over.abort();
    const timeout = this.#options.shutdownTimeout + workerEndGrace;
    const { life } = this.#options;
    await Promise.all(
      this.#workers.map(async (worker) => {
        const end = await worker.end(false, timeout);
        this.#judge(worker, end);
        if (end.code !== 0) life.exitCode = 1;
      }),
    );
  }

  /** Reports a worker that was killed; whatever else hung, the worker itself has reported. */
  #judge({ id, processId }: WorkerProcess, { signal }: WorkerEnd): void {
    if (signal === null) return;
    const { log } = this.#options;
    const particulars = { part: 'worker', hung: id, processId, signal };
    log.error({ event: 'hung', ...particulars }, `worker ${id} did not end by itself (${signal})`);
  }

  get #workers(): WorkerProcess[] {
    return this.#slots.flatMap(({ workers }) => [...workers]);
  }
}
