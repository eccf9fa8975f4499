import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = pino.Logger;

/** How long the end waits for the last lines to be taken, in milliseconds. */
const lastWords = 1_000;

/**
 * JSON lines on standard output, or a readable form of them where that is a terminal. `close` writes what is left;
 * a reader of our output that is gone or stuck keeps nobody from ending.
 */
export function openLog(level: string): { log: Log; close: () => Promise<void> } {
  if (process.stdout.isTTY) {
    const stream = pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' });
    return { log: pino({ level, serializers }, stream), close: async () => {} };
  }
  const destination = pino.destination({ dest: 1, sync: false });
  destination.on('error', () => {});
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination);
  const close = async () => {
    const closed = new Promise((resolve) => destination.once('close', resolve));
    destination.end();
    await Promise.race([closed, pause(lastWords)]);
  };
  return { log, close };
}

const serializers = { err: errorFields };

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
