/** Takes bytes for the log's reader, without waiting for it. */
export interface Outlet {
  /** `done` is called later: the bytes are taken, or the error and the bytes that are left. */
  write(bytes: Buffer, done: (error?: Error | null, left?: Buffer) => void): void;
  /** In the last moment of the process: bytes that are not taken at once are lost. */
  writeLast(bytes: Buffer): void;
}

interface OutputEvents {
  /** The reader is back, or keeps up again: this many lines were lost meanwhile. */
  onLost(count: number): void;
  /** Writing fails: the reader has ended, the disk is full. Called once until it succeeds again. */
  onRefused(error: Error): void;
}

export interface OutputBounds {
  /** How much is kept for a slow reader, in characters. Anything beyond is lost. */
  readonly kept: number;
  /** How much is written at once, in characters, except for a longer text. */
  readonly piece: number;
  /** Before the next attempt after a failed write, in milliseconds. */
  readonly pause: number;
}

const usualBounds: OutputBounds = { kept: 16_777_216, piece: 65_536, pause: 1_000 };

/**
 * The log's output: in order, bounded, and in whole lines, even where several processes write to one pipe, provided
 * that a piece is not larger than the pipe takes at once.
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

  /** Resolves with the number of lost lines, when everything is taken or fails, or after this many milliseconds. */
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

  /** For an unexpected end of the process. */
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
      // A write may already have started in `onLost`.
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

  /** As many of the waiting lines as are written at once. */
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
