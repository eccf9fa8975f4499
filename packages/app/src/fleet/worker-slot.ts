import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../logging/log.ts';
import { backOff } from './back-off.ts';
import type { WorkerEnd, WorkerProcess } from './worker-process.ts';

/** What a slot needs from its fleet. */
interface SlotSurroundings {
  readonly log: Log;
  fork(): WorkerProcess;
  /** Aborted when no more workers are to be started. */
  readonly over: AbortSignal;
}

/** A worker's place: a crashed worker is replaced, after a pause that grows with repeated crashes. */
export class WorkerSlot {
  /** Workers of this slot that ended by themselves. */
  lost = 0;
  readonly #surroundings: SlotSurroundings;
  readonly #backOff = backOff();
  /** The workers in it: two while one replaces the other. */
  readonly #workers = new Set<WorkerProcess>();
  #present: WorkerProcess;
  #coming: Promise<void> | undefined;

  /** With its first worker, which does not listen yet. */
  constructor(surroundings: SlotSurroundings) {
    this.#surroundings = surroundings;
    this.#present = this.#fork();
  }

  get workers(): ReadonlySet<WorkerProcess> {
    return this.#workers;
  }

  get present(): WorkerProcess {
    return this.#present;
  }

  /** From now on its worker is replaced when it ends by itself. */
  keep(worker = this.#present): void {
    const since = performance.now();
    this.#present = worker;
    void worker.gone.then((end) => {
      if (worker === this.#present) void this.#replace(worker, end, performance.now() - since);
    });
  }

  /** Replaces the present worker by one that serves; returns the old one, which has yet to end. @throws WorkerFault */
  async replace(): Promise<WorkerProcess | undefined> {
    const old = this.#present;
    // A worker that is being replaced has no place to give up.
    if (!old.isReady) return undefined;
    await this.#serve();
    return old;
  }

  /** Starts the next worker; concurrent calls get the same one. */
  #serve(): Promise<void> {
    this.#coming ??= this.#bringUp().finally(() => {
      this.#coming = undefined;
    });
    return this.#coming;
  }

  async #bringUp(): Promise<void> {
    const next = this.#fork();
    await next.prepared;
    await next.listen();
    this.keep(next);
  }

  async #replace({ id }: WorkerProcess, end: WorkerEnd, lasted: number): Promise<void> {
    const { log, over } = this.#surroundings;
    for (let [ended, well] = [end, lasted]; !over.aborted; well = 0) {
      this.lost += 1;
      const afterMs = this.#backOff(well);
      const how = ended.fault ?? ended.signal ?? `exit code ${ended.code}`;
      const { code, signal } = ended;
      log.error(
        { event: 'worker-lost', lost: id, code, signal, afterMs },
        `a worker ended by itself (${how}): another one follows in ${afterMs} ms`,
      );
      await pause(afterMs, undefined, { signal: over }).catch(() => {});
      if (over.aborted) return;
      try {
        await this.#serve();
        log.info(
          { event: 'worker-replaced', lost: id, by: this.#present.id },
          `worker ${this.#present.id} serves`,
        );
        return;
      } catch (fault) {
        ended = endOf(fault);
      }
    }
  }

  #fork(): WorkerProcess {
    const worker = this.#surroundings.fork();
    this.#workers.add(worker);
    void worker.gone.then(() => this.#workers.delete(worker));
    return worker;
  }
}

function endOf(fault: unknown): WorkerEnd {
  return (fault as { end?: WorkerEnd }).end ?? { code: 1, signal: null, fault: String(fault) };
}
