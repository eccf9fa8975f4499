import { constants } from 'node:os';

/** The first of these asks the process to stop, the same within a second is the first one again. */
const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const sameSignal = 1_000;

/**
 * Asks to stop once. npm hands on the Ctrl-C that the terminal has sent to the whole group already, hence
 * "again within a second"; whoever asks later than that means: at once (contract: life).
 */
export class StopSignals {
  readonly asked: Promise<NodeJS.Signals>;
  readonly #ask: (name: NodeJS.Signals) => void;
  #received: { at: number } | undefined;
  /** Of hang-ups: until it is known what they mean, they are only counted. */
  #onHangUp: () => void = () => {
    this.#hangUps += 1;
  };
  #hangUps = 0;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
    this.asked = promise;
    this.#ask = resolve;
    for (const name of names)
      process.on(name, () => (name === 'SIGHUP' ? this.#onHangUp() : this.#receive(name)));
  }

  /** What SIGHUP means: it asks to stop as the others do, or calls `act`. Those that came before count. */
  decideHangUp(act: () => void = () => this.#receive('SIGHUP')): void {
    this.#onHangUp = act;
    if (this.#hangUps > 0) act();
  }

  #receive(name: NodeJS.Signals): void {
    if (this.#received === undefined) {
      this.#received = { at: performance.now() };
      this.#ask(name);
    } else if (performance.now() - this.#received.at > sameSignal) {
      process.exit(128 + constants.signals[name]);
    }
  }
}
