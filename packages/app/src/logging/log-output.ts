/** Takes bytes for whoever reads the log, and waits for nobody. */
export interface Outlet {
  /** `done` is told, later, that they are taken; or why not, and which of them are left. */
  write(bytes: Buffer, done: (error?: Error | null, left?: Buffer) => void): void;
  /** In the last moment of the process: what is not taken at once is lost. */
  writeLast(bytes: Buffer): void;
}

export interface OutputEvents {
  /** The reader is back, or keeps up again: so many lines were lost meanwhile. */
  onLost(count: number): void;
  /** What is written is refused: a reader that is gone, a full disk. Called once until it goes on. */
  onRefused(error: Error): void;
}

export interface OutputBounds {
  /** How much is kept for a reader that does not keep up, in characters. What comes then is lost. */
  readonly kept: number;
  /** How much goes out at once, in characters, but for a text that is longer. */
  readonly piece: number;
  /** Before the next try, after one that was refused, in milliseconds. */
  readonly pause: number;
}

const usualBounds: OutputBounds = { kept: 16_777_216, piece: 65_536, pause: 1_000 };

/**
 * The log on its way out: in order, bounded, and in whole lines, also where several processes write into one pipe,
 * provided that a piece is no more than such a pipe takes at once.
 */
export class LogOutput {
  readonly #outlet: Outlet;
  readonly #events: OutputEvents;
  readonly #bounds: OutputBounds;
  readonly #waiting: string[] = [];
  #underWay: Buffer | undefined;
  #kept = 0;
  #lost = 0;
  #lostInAll = 0;
  #refused = false;
  #onEmpty = () => {};

  constructor(outlet: Outlet, events: OutputEvents, bounds: Partial<OutputBounds> = {}) {
    this.#outlet = outlet;
    this.#events = events;
    this.#bounds = { ...usualBounds, ...bounds };
  }

  /** Lines that were lost so far. */
  get lost(): number {
    return this.#lostInAll;
  }

  write(text: string): void {
    if (this.#kept + text.length > this.#bounds.kept) {
      const lines = linesIn(text);
      this.#lost += lines;
      this.#lostInAll += lines;
      return;
    }
    this.#kept += text.length;
    this.#waiting.push(text);
    if (this.#underWay === undefined) this.#next();
  }

  /** Resolves when all is taken, is refused, or after so many milliseconds; with how many lines are lost then. */
  async end(timeout: number): Promise<number> {
    if (this.#underWay && !this.#refused) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, timeout);
        this.#onEmpty = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#lost + this.#lines();
  }

  /** For the end of a process that nobody saw coming. */
  writeLast(): void {
    const text = this.#waiting.splice(0).join('');
    if (text !== '' && !this.#refused) this.#outlet.writeLast(Buffer.from(text));
  }

  #next(): void {
    const text = this.#take();
    if (text !== '') this.#send(Buffer.from(text), text.length);
    else this.#onEmpty();
  }

  #send(bytes: Buffer, characters: number): void {
    this.#underWay = bytes;
    this.#outlet.write(bytes, (error, left = bytes) => {
      if (error) return this.#tryAgain(error, left, characters);
      this.#underWay = undefined;
      this.#refused = false;
      this.#kept -= characters;
      this.#tellOfLost();
      // What was told may be under way already.
      if (this.#underWay === undefined) this.#next();
    });
  }

  #tryAgain(error: Error, left: Buffer, characters: number): void {
    this.#underWay = left;
    setTimeout(() => this.#send(left, characters), this.#bounds.pause).unref();
    if (!this.#refused) this.#events.onRefused(error);
    this.#refused = true;
  }

  #tellOfLost(): void {
    const count = this.#lost;
    if (count === 0 || this.#kept > this.#bounds.kept / 2) return;
    this.#lost = 0;
    this.#events.onLost(count);
  }

  /** As many of those that wait as go out at once. */
  #take(): string {
    let count = 0;
    let length = 0;
    for (const text of this.#waiting) {
      length += text.length;
      if (count > 0 && length > this.#bounds.piece) break;
      count += 1;
    }
    return this.#waiting.splice(0, count).join('');
  }

  #lines(): number {
    return linesIn(this.#waiting.join('')) + linesIn(this.#underWay?.toString('latin1') ?? '');
  }
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
