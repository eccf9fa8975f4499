import cluster from 'node:cluster';
import { within } from '@campaign-mirror/adapters-persistence/sql';
import type { ToPrimary, ToWorker } from './messages.ts';

/** How often the event loop is reported to run, and how long the farewell is awaited; milliseconds. */
const betweenBeats = 1_000;
const longestFarewell = 1_000;

/** A worker's channel to its primary. */
export class PrimaryChannel {
  /** Resolves when the primary ends. */
  readonly gone = new Promise<void>((resolve) => process.once('disconnect', () => resolve()));
  readonly #heard: Partial<Record<ToWorker['kind'], (message: never) => void>> = {};
  /** Messages that came before there was a listener. */
  #unheard: ToWorker[] = [];

  constructor() {
    // Otherwise Node ends the process as soon as the primary is gone, whatever is running.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    process.on('message', (message: ToWorker) => {
      const hear = this.#heard[message.kind];
      if (hear) hear(message as never);
      else this.#unheard.push(message);
    });
    setInterval(() => this.tell({ kind: 'beat' }), betweenBeats).unref();
  }

  on<Kind extends ToWorker['kind']>(kind: Kind, hear: (message: Extract<ToWorker, { kind: Kind }>) => void) {
    this.#heard[kind] = hear;
    const early = this.#unheard.filter((message) => message.kind === kind);
    this.#unheard = this.#unheard.filter((message) => message.kind !== kind);
    for (const message of early) hear(message as never);
  }

  once<Kind extends ToWorker['kind']>(kind: Kind): Promise<Extract<ToWorker, { kind: Kind }>> {
    return new Promise((resolve) => this.on(kind, resolve));
  }

  /** Does nothing when the primary is gone. */
  tell(message: ToPrimary): void {
    if (process.connected) process.send?.(message, () => {});
  }

  /** The last message, when the listener is closed: connections on their way here are returned before the answer. */
  async farewell(): Promise<void> {
    const heard = this.once('farewell');
    this.tell({ kind: 'over' });
    await within(longestFarewell, Promise.race([heard, this.gone]));
  }
}
