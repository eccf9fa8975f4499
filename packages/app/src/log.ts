import { pino } from 'pino';
import pretty from 'pino-pretty';

export type Log = pino.Logger;

/** JSON lines on standard output, or a readable form of them where that is a terminal. */
export function openLog(level: string): { log: Log; flush: () => void } {
  if (process.stdout.isTTY) {
    const stream = pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' });
    return { log: pino({ level, serializers }, stream), flush: () => {} };
  }
  const destination = pino.destination({ dest: 1, sync: false });
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers }, destination);
  const flush = () => {
    try {
      destination.flushSync();
    } catch {
      // The reader of our output is gone: nobody is left to be told.
    }
  };
  return { log, flush };
}

const serializers = { err: errorFields };

/**
 * What is logged of an error. Not its other fields: the driver's hold values (`detail`, `parameters`), which may be
 * addresses.
 */
export function errorFields(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    stack: error.stack,
    ...(error.cause !== undefined && { cause: errorFields(error.cause) }),
  };
}
