import type { Level, Logger } from 'pino';

/** Every event of the log, and when it is logged, in Markdown for docs/reference/logs.md. Others do not compile. */
export const logEvents = {
  request: 'a request was answered; at `debug` on the listener for operators',
  'request-unauthenticated': 'the same, with 401',
  'request-forbidden': 'the same, with 403',
  'request-limited': 'the same, with 429',
  unavailable:
    'a request got 503: the database, the issuer, or a part of a module; one line in 5 s, with `suppressed`',
  unexpected: 'a request got 500 because of a fault of the service',
  overload:
    'requests or connections beyond a limit are refused; one line in 5 s for each limit, with `suppressed`',
  'statement-refused':
    'PostgreSQL refused a statement, such as for a missing right; one line in 5 s, with `suppressed`',
  'issuer-keys-fetched': "the issuer's public keys were fetched for the first time, or again after a failure",
  'issuer-keys-failed': "the issuer's public keys could not be fetched; one line in 5 s, with `suppressed`",
  starting: 'the first line of a start',
  'database-awaited': 'the database does not answer yet, or a command has the embedded one',
  'migration-awaited': 'the start waits for another process that migrates, or for a lock of a transaction',
  'check-warned': 'a check of the database found what should be different; `doctor` makes the same checks',
  'demonstration-failed': 'the demonstration set could not be created',
  listening: 'callers are served',
  'plain-http-exposed': 'the service listens beyond the loopback address without `TRUSTED_PROXIES`',
  'start-failed': 'the start failed because of an unexpected fault',
  'log-lines-lost': 'lines were lost because they were not read in time; the reader keeps up again',
  failed:
    'an uncaught error, a log without a reader, or the end of the embedded database: the process exits with 1',
  stopping: 'the process was asked to end',
  hung: 'a part did not end in time; of `http`, how many requests were `unfinished` and got 503',
  'stop-failed': 'a part ended with an error',
  stopped: 'the last line',
  'database-starting': 'the embedded database is being started',
  'database-started': 'the embedded database runs',
  'database-stopped': 'the embedded database ended, as asked',
};

export type EventName = keyof typeof logEvents;

type Fields = { readonly event: EventName; readonly [field: string]: unknown };
type Write = (fields: Fields, message: string) => void;

/** The part of the log with which lines are written. */
export type LogWriter = { readonly [L in Exclude<Level, 'trace'>]: Write };

/** Pino's logger, which accepts these events only. */
export type Log = Omit<Logger, keyof LogWriter> & LogWriter;

/** How long a frequent event is not logged again, in milliseconds. */
const betweenLines = 5_000;

/** Writes an event that may be frequent at most once in 5 s, with how often it was `suppressed` before. */
export function throttled(log: LogWriter, level: keyof LogWriter): Write {
  let suppressed = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  return (fields, message) => {
    if (performance.now() - writtenAt < betweenLines) return void suppressed++;
    writtenAt = performance.now();
    log[level]({ ...fields, suppressed }, message);
    suppressed = 0;
  };
}
