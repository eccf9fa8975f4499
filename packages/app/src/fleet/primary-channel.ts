import cluster from 'node:cluster';
import { within } from '@campaign-mirror/adapters-persistence/sql';
import type { ToPrimary, ToWorker } from './messages.ts';

/** How often the primary hears that the event loop runs, and how long its farewell is waited for; milliseconds. */
const betweenBeats = 1_000;
const longestFarewell = 1_000;

/** A worker's line to its primary. */
export class PrimaryChannel {
  /** Ends when the primary does. */
  readonly gone = new Promise<void>((resolve) => process.once('disconnect', () => resolve()));
  readonly #heard: Partial<Record<ToWorker['kind'], (message: never) => void>> = {};
  /** What came before somebody was there for it. */
  #unheard: ToWorker[] = [];

  constructor() {
    // Else Node ends the process the moment that the primary is gone, whatever is under way.
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

  /** To one that is gone nothing is told. */
  tell(message: ToPrimary): void {
    if (process.connected) process.send?.(message, () => {});
  }

  /** The last word, when the listener is closed: connections that are on their way here are given back before it. */
  async farewell(): Promise<void> {
    const heard = this.once('farewell');
    this.tell({ kind: 'over' });
    await within(longestFarewell, Promise.race([heard, this.gone]));
  }
}
