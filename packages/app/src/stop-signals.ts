import { constants } from 'node:os';

/** The first of these asks the process to stop, the same within a second is the first one again. */
const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const sameSignal = 1_000;

/**
 * Asks to stop once. npm hands on the Ctrl-C that the terminal has sent to the whole group already, hence
 * "again within a second"; whoever asks later than that means: at once (decisions: life).
 */
export class StopSignals {
  readonly asked: Promise<NodeJS.Signals>;
  #received: { at: number } | undefined;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
    this.asked = promise;
    for (const name of names) process.on(name, () => this.#receive(name, resolve));
  }

  #receive(name: NodeJS.Signals, resolve: (name: NodeJS.Signals) => void): void {
    if (this.#received === undefined) {
      this.#received = { at: performance.now() };
      resolve(name);
    } else if (performance.now() - this.#received.at > sameSignal) {
      process.exit(128 + constants.signals[name]);
    }
  }
}
