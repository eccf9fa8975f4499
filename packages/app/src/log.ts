import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { LogLines, timeOfLine } from './log-lines.ts';

export type Log = pino.Logger;

/** How long the end waits for the last lines to be taken, in milliseconds. */
const lastWords = 1_000;
/** How much is kept for a reader of our output that does not keep up, in bytes. What comes then is lost. */
const mostUnread = 16_777_216;

/**
 * JSON lines on standard output, or a readable form of them where that is a terminal. `close` writes what is left;
 * a reader of our output that is gone or stuck keeps nobody from ending.
 */
export function openLog(level: string): { log: Log; lines: LogLines; close: () => Promise<void> } {
  if (process.stdout.isTTY) {
    const lines = new LogLines(pretty({ sync: true, translateTime: 'HH:MM:ss.l' }));
    return { log: logBy(lines, level), lines, close: async () => lines.flush() };
  }
  const destination = pino.destination({ dest: 1, sync: false, maxLength: mostUnread });
  destination.on('error', () => {});
  const lines = new LogLines(destination);
  const log = logBy(lines, level);
  // Before pino does the same with the destination.
  process.prependOnceListener('exit', () => lines.flush());
  tellOfLost(destination, log);
  const close = async () => {
    lines.flush();
    const closed = new Promise((resolve) => destination.once('close', resolve));
    destination.end();
    await Promise.race([closed, pause(lastWords)]);
  };
  return { log, lines, close };
}

/** As soon as the reader has caught up. */
function tellOfLost(destination: ReturnType<typeof pino.destination>, log: Log): void {
  let lost = 0;
  destination.on('drop', (text: string) => {
    lost += text.split('\n').length - 1;
  });
  destination.on('drain', () => {
    const count = lost;
    lost = 0;
    if (count === 0) return;
    log.warn(
      { event: 'log-lines-lost', count },
      `${count} lines of the log were lost: nobody read them in time`,
    );
  });
}

/** The log whose lines go out by these. */
export function logBy(lines: LogLines, level: string): Log {
  const timestamp = () => `,"time":"${timeOfLine()}"`;
  return pino({ level, base: null, timestamp, serializers: { err: errorFields } }, lines);
}

/**
 * What is logged of an error. Not its other fields: the driver's hold values (`detail`, `parameters`), which may be
 * addresses; MikroORM puts them into the message too.
 */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: withoutDetail(error.message),
    ...(typeof code === 'string' && { code }),
    stack: frames(error.stack),
    ...(error.cause !== undefined && { cause: errorFields(error.cause) }),
  };
}

function withoutDetail(message: string): string {
  return message.split('\n - detail:')[0] ?? '';
}

/** Without the message, which it begins with. */
function frames(stack: string | undefined): string {
  return (stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}
