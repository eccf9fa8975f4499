import cluster, { type Worker } from 'node:cluster';
import { within } from '@campaign-mirror/adapters-persistence/sql';
import type { CountForWorkers } from '../limits/counts-for-workers.ts';
import type { MetricSnapshot } from '../metrics/meters.ts';
import type { ToPrimary, ToWorker } from './messages.ts';
import { closeUnaccepted } from './unaccepted-connections.ts';

export type Begin = Extract<ToWorker, { kind: 'begin' }>;

/** How a worker ended. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** A fault that the user can fix, in one line. */
  readonly fault?: string;
}

/** The worker ended before it could serve. */
export class WorkerFault extends Error {
  readonly end: WorkerEnd;

  constructor(id: number, end: WorkerEnd) {
    super(end.fault ?? `worker ${id} ended at its start (${end.signal ?? `exit code ${end.code}`})`);
    this.end = end;
  }
}

/** A worker, as the primary sees it. */
export class WorkerProcess {
  readonly id: number;
  readonly processId: number | undefined;
  /** It could serve. Rejects with WorkerFault. */
  readonly prepared: Promise<void>;
  /** It serves, on this port. Rejects with WorkerFault. */
  readonly listening: Promise<number>;
  readonly gone: Promise<WorkerEnd>;
  isReady = false;
  /** When its event loop last reported, by `performance.now()`. */
  heardAt = performance.now();
  /** Its last counts. */
  counts: readonly MetricSnapshot[] = [];
  #onAskedCounts = () => {};
  readonly #worker: Worker;
  #fault: string | undefined;

  /** `program`: what a worker runs. `count`: for the limits shared by all workers. */
  constructor(program: string, begin: Begin, count?: CountForWorkers) {
    // The primary distributes connections in turn. Where workers share the listener, or have one each, a caller's kept
    // connections pile up with some of them, and with a listener of its own a worker's end drops those in its queue.
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: program, args: [] });
    this.#worker = cluster.fork();
    closeUnaccepted(this.#worker.process);
    this.id = this.#worker.id;
    this.processId = this.#worker.process.pid;
    const prepared = Promise.withResolvers<void>();
    const listening = Promise.withResolvers<number>();
    this.prepared = prepared.promise;
    this.listening = listening.promise;
    this.#worker.on('error', () => {});
    const answerTo =
      ({ limit, question }: Extract<ToPrimary, { kind: 'count' }>) =>
      (counts: Awaited<ReturnType<CountForWorkers>>) =>
        this.#send({ kind: 'counted', limit, question, counts });
    this.#worker.on('message', (message: ToPrimary) => {
      this.heardAt = performance.now();
      if (message.kind === 'awake') this.#send(begin);
      else if (message.kind === 'prepared') prepared.resolve();
      else if (message.kind === 'listening') {
        this.isReady = true;
        listening.resolve(message.port);
      } else if (message.kind === 'counts') {
        this.counts = message.counts;
        if (message.asked) this.#onAskedCounts();
      } else if (message.kind === 'ending') this.isReady = false;
      else if (message.kind === 'count') void count?.(message.limit, message.who).then(answerTo(message));
      else if (message.kind === 'fault') this.#fault = message.line;
      // Everything sent to it before it closed its listener precedes this in the channel.
      else if (message.kind === 'over') this.#send({ kind: 'farewell' });
    });
    this.gone = this.#end();
    this.gone.then((end) => {
      this.isReady = false;
      const fault = new WorkerFault(this.id, end);
      prepared.reject(fault);
      listening.reject(fault);
    });
    for (const promise of [this.prepared, this.listening]) promise.catch(() => {});
  }

  /** After its last messages have arrived. */
  async #end(): Promise<WorkerEnd> {
    const child = this.#worker.process;
    const disconnected = new Promise<void>((resolve) => child.once('disconnect', resolve));
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
      child.once('exit', (...how) => resolve(how));
      child.once('error', () => resolve([1, null]));
    });
    if (child.connected) await disconnected;
    return { code, signal, ...(this.#fault !== undefined && { fault: this.#fault }) };
  }

  listen(): Promise<number> {
    this.#send({ kind: 'listen' });
    return this.listening;
  }

  /** Resolves when `counts` are new, the worker has ended, or `timeout` milliseconds have passed. */
  async tellCounts(timeout: number): Promise<void> {
    // Before its first counts it does not listen yet.
    if (this.counts.length === 0) return;
    const told = new Promise<void>((resolve) => {
      this.#onAskedCounts = resolve;
    });
    this.#send({ kind: 'tell-counts' });
    await within(timeout, Promise.race([told, this.gone]));
  }

  toggleLevel(): void {
    this.#send({ kind: 'toggle-level' });
  }

  /** Tells it to end, and kills it if it has not ended in time: the result then has a signal. */
  async end(isRelieved: boolean, timeout: number): Promise<WorkerEnd> {
    this.isReady = false;
    this.#send({ kind: 'end', isRelieved });
    const end = await within(timeout, this.gone);
    if (end) return end;
    this.kill();
    return this.gone;
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }

  /** Nothing needs to be sent to a worker that is about to exit. */
  #send(message: ToWorker): void {
    if (this.#worker.isConnected()) this.#worker.send(message, () => {});
  }
}
