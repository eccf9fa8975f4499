import { pino } from 'pino';
import { errorFields } from './error-fields.ts';
import type { Log } from './log-events.ts';
import { levelToggle } from './log-level.ts';
import { LogLines, timeOfLine } from './log-lines.ts';
import { logOrigin } from './log-origin.ts';
import { standardOutlet } from './log-outlets.ts';
import { LogOutput } from './log-output.ts';
import { readable } from './log-readable.ts';

export type { Log };

/** How long the end waits for the last lines to be written, in milliseconds. */
const endTimeout = 1_000;
/** What a pipe takes atomically (PIPE_BUF), in bytes: lines of other writers do not break ours. */
const wholeInAPipe = 4_096;

export interface OpenedLog {
  readonly log: Log;
  readonly lines: LogLines;
  /** Switches between the configured level and `debug`. */
  toggleLevel(): void;
  /** How many lines were lost so far. */
  lostLines(): number;
  /** Writes what is left; a reader that has ended or is stuck does not delay the end. */
  close(): Promise<void>;
}

/**
 * JSON lines on standard output, or a readable form of them on a terminal. Nothing waits for the reader. `shared`:
 * other processes write to the same output.
 */
export function openLog(level: string, { shared = false } = {}): OpenedLog {
  const output = new LogOutput(
    standardOutlet(),
    {
      onLost: (count) => log.warn({ event: 'log-lines-lost', count }, lostInTime(count)),
      onRefused: ({ message }) =>
        console.error(`the log cannot be written (${message}): its lines are kept for a while`),
    },
    shared ? { piece: wholeInAPipe } : {},
  );
  const shown = process.stdout.isTTY ? readable() : (text: string) => text;
  const lines = new LogLines(
    { write: (text) => output.write(shown(text)) },
    shared ? wholeInAPipe : undefined,
  );
  const log = logBy(lines, level);
  // A failure to write to standard error must not end the process either.
  process.stderr.on('error', () => {});
  process.once('exit', () => {
    lines.flush();
    output.writeLast();
  });
  const close = async () => {
    lines.flush();
    const lost = await output.end(endTimeout);
    if (lost > 0) console.error(lostInTime(lost));
  };
  return { log, lines, toggleLevel: levelToggle(log, level), lostLines: () => output.lost, close };
}

function lostInTime(count: number): string {
  return `${count} lines of the log were lost: nobody read them in time`;
}

/** For programs that use standard output for something else. */
export function logTo(out: { write(text: string): unknown }, level: string): Log {
  return logBy(new LogLines(out), level);
}

/** A log that writes to these lines. */
export function logBy(lines: LogLines, level: string): pino.Logger {
  const timestamp = () => `,"time":"${timeOfLine()}"`;
  return pino({ level, base: logOrigin, timestamp, serializers: { err: errorFields } }, lines);
}
