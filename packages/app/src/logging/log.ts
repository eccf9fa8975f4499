import { isatty } from 'node:tty';
import { escaped, printable, printableLines } from '@campaign-mirror/adapters-cli/terminal';
import { withTimeLimit } from '@campaign-mirror/adapters-persistence/sql';
import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { errorFields } from './error-fields.ts';
import type { Log } from './log-events.ts';

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

/** Converts lines of the log to text for a terminal; anything else stays unchanged. */
export function readable(): (lines: string) => string {
  const pretty = prettyFactory({ translateTime: 'HH:MM:ss.l', ignore: 'pid' });
  const one = (line: string) => (line.startsWith('{"level"') ? pretty(harmless(JSON.parse(line))) : line);
  return (lines) =>
    lines
      .split(/(?<=\n)/)
      .map(one)
      .join('');
}

/** A parsed text again contains the characters that its JSON had escaped. The lines of a stack are safe. */
function harmless(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'stack' ? printableLines(value) : printable(value);
  if (Array.isArray(value)) return value.map((item) => harmless(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [printable(key), harmless(item, key)]),
  );
}

export type { Log };

export interface OpenedLog {
  readonly log: Log;
  /** For lines that are made without pino, and for text that is no line of the log. */
  readonly lines: LogLines;
  /** Resolves when the reader has gone: nothing can be logged any longer. */
  readonly gone: Promise<Error>;
  /** How many lines were lost so far. */
  lostLines(): number;
  /** Writes what is left. A reader that is stuck is not awaited for long: the process is then killed. */
  close(): Promise<void>;
}

const standardOutput = 1;
/** How many bytes are kept for a slow reader: lines beyond that are lost. */
const kept = 16_777_216;
/** How long the end waits for a slow reader to take the last lines, in milliseconds. */
const endTimeout = 1_000;

/** JSON lines on standard output, or a readable form of them on a terminal. Nothing waits for the reader. */
export function openLog(level: string): OpenedLog {
  // Not `process.stdout`: it waits for a terminal, and makes a pipe non-blocking, so that pino would write a full one 64 KiB a time.
  // With a `minLength` of 0, its `flush` would not wait.
  const output = pino.destination({ dest: standardOutput, sync: false, minLength: 1, maxLength: kept });
  const { promise: gone, resolve } = Promise.withResolvers<Error>();
  let lost = 0;
  let suppressed = 0;
  let isRefused = false;
  const shown = isatty(standardOutput) ? readable() : (text: string) => text;
  const lines = new LogLines({ write: (text) => output.write(shown(text)) });
  const log = logTo(lines, level);
  output
    .on('drop', (text: string) => {
      const count = text.split('\n').length - 1;
      lost += count;
      suppressed += count;
      // Only a line that is kept makes pino try again.
      if (isRefused) output.flush();
    })
    .on('drain', () => {
      isRefused = false;
      if (suppressed === 0) return;
      const count = suppressed;
      suppressed = 0;
      log.warn({ event: 'log-lines-lost', count }, 'lines of the log were lost: nobody read them in time');
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      // A full disk: its lines are tried again with the next ones.
      if (!isRefused) console.error(`the log cannot be written (${error.message})`);
      isRefused = true;
      if (error.code === 'EPIPE') resolve(error);
    });
  process.prependOnceListener('exit', () => {
    // What cannot be written, pino would try for ever.
    if (isRefused) output.destroy();
    else lines.flush();
  });
  // A failure to write to standard error must not end the process.
  process.stderr.on('error', () => {});
  const close = async () => {
    lines.flush();
    // Not the callback of `flush`, which waits for the disk, too.
    const written = new Promise<boolean>((done) => {
      for (const event of ['drain', 'error']) output.once(event, () => done(true));
      output.flush();
    });
    // A thread that waits for the reader would hold up `process.exit` for ever.
    if (!(await withTimeLimit(endTimeout, written, false))) process.kill(process.pid, 'SIGKILL');
  };
  return { log, lines, gone, lostLines: () => lost, close };
}

/** A log that writes to these lines. */
export function logTo(lines: { write(line: string): unknown }, level: string): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${timeOfLine()}"`,
    serializers: { err: errorFields },
    mixin: traceIds,
  };
  return pino(options, lines as pino.DestinationStream);
}

/** The trace of the request that is carried out, in W3C's form; nothing where none is traced. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

/** Switches between the configured level and `debug` (`info` where that is as verbose), and logs that. */
export function levelToggle(log: Log, configured: string): () => void {
  const other = configured === 'debug' || configured === 'trace' ? 'info' : 'debug';
  return () => {
    const [from, to] = [log.level, log.level === configured ? other : configured];
    // At the more verbose of the two, or the line would not be seen.
    log.level = 'info';
    log.info({ event: 'log-level-changed', from, to }, `the log is at ${to} now`);
    log.level = to;
  };
}
