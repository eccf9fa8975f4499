import { isatty } from 'node:tty';
import { escaped, printable, printableLines } from '@campaign-mirror/adapters-cli/terminal';
import { pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { errorFields } from './error-fields.ts';
import type { Log } from './log-events.ts';

/** How long a line may wait for others, in milliseconds, and how many characters are written at once. */
const batch = { longest: 100, characters: 16_384 };

/**
 * The lines of the log, in ASCII and in order. Lines of requests wait for each other, because writing a line costs more than
 * making it. Any other line is written at once, after those that wait.
 */
export function logLines(out: { write(text: string): unknown }) {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const text = waiting;
    waiting = '';
    if (text !== '') out.write(escaped(text));
  };
  /** Adds a line that may wait. */
  const add = (line: string): void => {
    waiting += line;
    if (waiting.length >= batch.characters) flush();
    else timer ??= setTimeout(flush, batch.longest).unref();
  };
  const write = (line: string): void => {
    add(line);
    flush();
  };
  return { add, write, flush };
}

export type LogLines = ReturnType<typeof logLines>;

let latest = 0;
let text = '';

/** The present time, formatted once for all lines of a millisecond. */
export function timeOfLine(): string {
  const now = Date.now();
  if (now !== latest) {
    latest = now;
    text = new Date(now).toISOString();
  }
  return text;
}

/** A function that converts lines of the log to text for a terminal, and leaves any other text unchanged. */
export function readable(): (lines: string) => string {
  const pretty = prettyFactory({ translateTime: 'HH:MM:ss.l', ignore: 'pid' });
  const converted = (line: string) =>
    line.startsWith('{"level"') ? pretty(JSON.parse(line, harmless)) : line;
  return (lines) =>
    lines
      .split(/(?<=\n)/)
      .map(converted)
      .join('');
}

/** Escapes characters again that the parsing of the JSON has restored. A stack may keep its line breaks. */
function harmless(name: string, value: unknown): unknown {
  if (typeof value === 'string') return name === 'stack' ? printableLines(value) : printable(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [printable(key), item]));
}

const standardOutput = 1;
/** How many bytes are kept for a slow reader; lines beyond that are lost. */
const maxKept = 16_777_216;
/** How long the end waits for a slow reader to take the last lines, in milliseconds. */
const endTimeout = 1_000;

const ignored = () => {};

/**
 * JSON lines on standard output, or a readable form of them on a terminal. Nothing waits for the reader. `lines` is for
 * those that are made without pino, and for other text; `gone` resolves when the reader has closed the log. `close` writes
 * the last lines; if the reader does not take them in time, the process kills itself.
 */
export function openLog(level: string) {
  // Not `process.stdout`: it waits for a terminal, and makes a pipe non-blocking, so that pino would write 64 KiB at a time
  // to a full one. With a `minLength` of 0, `flush` would not wait.
  const output = pino.destination({ dest: standardOutput, sync: false, minLength: 1, maxLength: maxKept });
  const { promise: gone, resolve } = Promise.withResolvers<Error>();
  let lost = 0;
  let reported = 0;
  let isRefused = false;
  const converted = isatty(standardOutput) ? readable() : (text: string) => text;
  const lines = logLines({ write: (text) => output.write(converted(text)) });
  const log = logTo(lines, level);
  output
    .on('drop', (text: string) => {
      lost += text.split('\n').length - 1;
      // After an error, pino tries again only when a line is kept.
      if (isRefused) output.flush();
    })
    .on('drain', () => {
      isRefused = false;
      const count = lost - reported;
      if (count === 0) return;
      reported = lost;
      log.warn({ event: 'log-lines-lost', count }, 'lines of the log were lost: nobody read them in time');
    })
    .on('error', (error: NodeJS.ErrnoException) => {
      // On a full disk, the lines are tried again with the next ones.
      if (!isRefused) console.error(`the log cannot be written (${error.message})`);
      isRefused = true;
      if (error.code === 'EPIPE') resolve(error);
    });
  const onExit = () => {
    // pino would try for ever to write what cannot be written.
    if (isRefused) output.destroy();
    else lines.flush();
  };
  process.prependOnceListener('exit', onExit);
  // A failure to write to standard error must not end the process.
  process.stderr.on('error', ignored);
  const close = async () => {
    lines.flush();
    // A thread that waits for the reader would hold up `process.exit` for ever.
    const late = setTimeout(() => process.kill(process.pid, 'SIGKILL'), endTimeout);
    // The callback of `flush` would wait for the disk too.
    await new Promise<void>((done) => {
      for (const event of ['drain', 'error']) output.once(event, () => done());
      output.flush();
    });
    clearTimeout(late);
    process.off('exit', onExit);
    onExit();
    process.stderr.off('error', ignored);
  };
  return { log, lines, gone, lostLines: () => lost, close };
}

export function logTo(lines: { write(line: string): unknown }, level: string): Log {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${timeOfLine()}"`,
    serializers: { err: errorFields },
  };
  return pino(options, lines as pino.DestinationStream);
}
