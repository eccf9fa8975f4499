import type { Level, Logger } from 'pino';

/** Every event of the log, and when it is logged, in Markdown for docs/reference/logs.md. Others do not compile. */
export const logEvents = {
  request: 'a request was answered, except with 401, 403 or 429; at `debug` on the listener for operators',
  'request-unauthenticated': 'a request was answered with 401',
  'request-forbidden': 'a request was answered with 403',
  'request-limited': 'a request was answered with 429',
  unavailable:
    'a request got 503 because of the database, the issuer or a module; one line in 5 s, with `suppressed`',
  unexpected: 'a request got 500 because of a fault of the service',
  overload:
    'requests or connections beyond a limit are refused; one line in 5 s for each limit, with `suppressed`',
  'statement-refused':
    'PostgreSQL refused a statement, such as for a missing right; one line in 5 s, with `suppressed`',
  'issuer-keys-fetched': "the issuer's public keys were fetched for the first time, or again after a failure",
  'issuer-keys-failed': "the issuer's public keys could not be fetched; one line in 5 s, with `suppressed`",
  starting: 'the first line of a start',
  'database-awaited': 'the database does not answer yet, or a command uses the embedded one',
  'migration-awaited': 'the start waits for another process that migrates, or for a lock of a transaction',
  'check-warned': 'a check of the database found a fault; `doctor` makes the same checks',
  'demonstration-failed': 'the demonstration set could not be created',
  listening: 'callers are served',
  'plain-http-exposed': 'the service listens beyond the loopback address without `TRUSTED_PROXIES`',
  'start-failed': 'the start failed because of an unexpected fault',
  'log-lines-lost': 'lines were lost because the reader of the log was too slow; it keeps up again',
  failed:
    'an uncaught error, a log without a reader, or the end of the embedded database: the process exits with 1',
  stopping: 'the process received a stop signal',
  hung: 'a part did not end in time; for `http`, `unfinished` counts the requests that got 503',
  'stop-failed': 'a part ended with an error',
  stopped: 'the last line',
  'database-starting': 'the embedded database is being started',
  'database-started': 'the embedded database runs',
  'database-stopped': 'the embedded database was stopped',
};

export type EventName = keyof typeof logEvents;

type Fields = { readonly event: EventName; readonly [field: string]: unknown };
type Write = (fields: Fields, message: string) => void;

export type LogWriter = { readonly [L in Exclude<Level, 'trace'>]: Write };

/** Pino's logger, which accepts these events only. */
export type Log = Omit<Logger, keyof LogWriter> & LogWriter;

/** The shortest time between two lines of a frequent event, in milliseconds. */
const betweenLines = 5_000;

/** Writes a frequent event at most once in 5 s; `suppressed` counts the lines left out before. */
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

/** The fields that are logged of an error and its causes. Others, such as `detail`, contain values like addresses. */
export function errorFields(error: unknown, causes = 5): Readonly<Record<string, unknown>> {
  // A thrown value that is not an Error may contain a secret.
  if (!(error instanceof Error)) return { type: typeof error, message: 'no Error was thrown' };
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  // The stack begins with the message.
  const stack = String(error.stack).replace(String(error.message), '');
  return {
    type: String(error.name),
    message: withoutValues(String(error.message), typeof code === 'string' ? code : ''),
    ...(typeof code === 'string' && { code }),
    stack: (stack.match(/^\s+at .*/gm) ?? []).slice(0, 10).join('\n'),
    ...(cause !== undefined && causes > 0 && { cause: errorFields(cause, causes - 1) }),
  };
}

/** Classes of SQLSTATEs (PostgreSQL, appendix A) whose messages quote no values. 42601 quotes the statement. */
const classesWithoutValues = /^(?!42601)(?:0[38]|2[358]|3[DF]|4[02]|5[34578])/;

function withoutValues(message: string, code: string): string {
  const isSqlState = /^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code);
  if (isSqlState && !classesWithoutValues.test(code))
    return `the database refused a value or a statement (${code})`;
  // The message of JSON.parse quotes a part of the text.
  if (message.endsWith('is not valid JSON')) return 'not valid JSON';
  // MikroORM appends values in further lines.
  return withoutSecrets(message.split('\n - detail:')[0] ?? '').slice(0, 1_000);
}

/** Hides access keys, and users and passwords in URLs. */
export function withoutSecrets(text: string): string {
  return text.replace(/\bcm_[0-9A-Za-z]{8,}/g, 'cm_…').replace(/:\/\/[^\s/]*@/g, '://…@');
}
