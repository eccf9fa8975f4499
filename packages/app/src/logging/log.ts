import { isatty } from 'node:tty';
import { within } from '@campaign-mirror/adapters-persistence/sql';
import { trace } from '@opentelemetry/api';
import { pino } from 'pino';
import { errorFields } from './error-fields.ts';
import type { Log } from './log-events.ts';
import { LogLines, timeOfLine } from './log-lines.ts';
import { readable } from './log-readable.ts';

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
  let untold = 0;
  let isRefused = false;
  const shown = isatty(standardOutput) ? readable() : (text: string) => text;
  const lines = new LogLines({ write: (text) => output.write(shown(text)) });
  const log = logTo(lines, level);
  output
    .on('drop', (text: string) => {
      const count = text.split('\n').length - 1;
      lost += count;
      untold += count;
      // Only a line that is kept makes pino try again.
      if (isRefused) output.flush();
    })
    .on('drain', () => {
      isRefused = false;
      if (untold === 0) return;
      const count = untold;
      untold = 0;
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
    if (!(await within(endTimeout, written, false))) process.kill(process.pid, 'SIGKILL');
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
