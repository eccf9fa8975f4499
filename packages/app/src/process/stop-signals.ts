import { closeSync, constants as ofFiles, openSync } from 'node:fs';
import { constants } from 'node:os';

/** The first of these asks the process to stop; the same one within a second counts as the first. */
const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const sameSignal = 1_000;

/**
 * Asks to stop once. npm forwards a Ctrl-C that the terminal has already sent to the whole process group: a signal
 * repeated within a second is therefore ignored. A later one means: at once (contract: life).
 */
export class StopSignals {
  readonly asked: Promise<NodeJS.Signals>;
  readonly #ask: (name: NodeJS.Signals) => void;
  #askedAt: number | undefined;
  /** Until their meaning is known, hang-ups are only counted. */
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

  /** Decides what SIGHUP means: it asks to stop as the others do, or calls `act`. Earlier ones count, too. */
  decideHangUp(act: () => void = () => this.#receive('SIGHUP')): void {
    this.#onHangUp = act;
    if (this.#hangUps > 0) act();
  }

  #receive(name: NodeJS.Signals): void {
    if (this.#askedAt === undefined) {
      this.#askedAt = performance.now();
      this.#ask(name);
    } else if (performance.now() - this.#askedAt > sameSignal) {
      process.exit(128 + constants.signals[name]);
    }
  }
}

/**
 * Whether this process has a controlling terminal, whatever its input and output are: SIGHUP then means that the
 * terminal was closed. Called at startup, because the terminal is gone afterwards.
 */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', ofFiles.O_RDONLY | ofFiles.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
