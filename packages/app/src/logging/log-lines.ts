import { escaped } from '@campaign-mirror/adapters-cli/terminal';

/** How long a line may wait for others, in milliseconds, and how many characters are written together. */
const together = { longest: 100, characters: 16_384 };

/**
 * The lines of the log, in ASCII and in order. Those of requests wait for each other: writing each costs more than making
 * it. Any other line is written at once, after those that wait.
 */
export class LogLines {
  readonly #out: { write(text: string): unknown };
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(out: { write(text: string): unknown }) {
    this.#out = out;
  }

  /** Adds a line that may wait. */
  add(line: string): void {
    this.#waiting += line;
    if (this.#waiting.length >= together.characters) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), together.longest).unref();
  }

  write(line: string): void {
    this.add(line);
    this.flush();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '') this.#out.write(escaped(text));
  }
}

let latest = 0;
let text = '';

/** The present time in ISO 8601 and UTC, with milliseconds: formatted once for all lines of a millisecond. */
export function timeOfLine(): string {
  const now = Date.now();
  if (now !== latest) {
    latest = now;
    text = new Date(now).toISOString();
  }
  return text;
}
