import { escaped } from '@campaign-mirror/adapters-cli/terminal/escapes';

/** How long a line may wait for others to go with, in milliseconds. */
const longest = 100;
/** How many characters go out together, but for a line that is longer. A pipe takes four times as much. */
const usual = 16_384;

/**
 * Where the lines of the log go out, in their order. Those of requests wait for each other a little: handing each
 * on by itself costs more than making it. Any other goes at once, and what waits goes before it.
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

  /** Takes a line that may wait. */
  add(line: string): void {
    if (this.#waiting.length + line.length > this.#maxCharacters) this.flush();
    this.#waiting += line;
    this.#timer ??= setTimeout(() => this.flush(), longest).unref();
  }

  /** Takes a line that may not; pino writes by this. */
  write(line: string): void {
    if (this.#waiting.length + line.length > this.#maxCharacters) this.flush();
    this.#waiting += line;
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

/** The time now, in ISO 8601 and UTC, with milliseconds: made once for all lines of a millisecond. */
export function timeOfLine(): string {
  const now = Date.now();
  if (now !== latest) {
    latest = now;
    text = new Date(now).toISOString();
  }
  return text;
}
