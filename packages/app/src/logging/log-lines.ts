import { escaped } from '@campaign-mirror/adapters-cli/terminal';

/** How long a line may wait for others, in milliseconds. */
const longest = 100;
/** How many characters are written together, except for a longer line. A pipe holds four times as much. */
const usual = 16_384;

/**
 * Writes the lines of the log in order. Those of requests wait briefly for each other: writing each by itself costs
 * more than making it. Any other line is written at once, after those that wait.
 */
export class LogLines {
  readonly #out: { write(text: string): unknown };
  readonly #maxCharacters: number;
  #waiting = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(out: { write(text: string): unknown }, maxCharacters = usual) {
    this.#out = out;
    this.#maxCharacters = maxCharacters;
  }

  /** Adds a line that may wait. */
  add(line: string): void {
    if (this.#waiting.length + line.length > this.#maxCharacters) this.flush();
    this.#waiting += line;
    this.#timer ??= setTimeout(() => this.flush(), longest).unref();
  }

  /** Writes a line at once, after those that wait; pino calls this. */
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
