import type { EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import type { Logger } from 'pino';

type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

interface LogEvent {
  readonly levels: readonly LogLevel[];
  /** In Markdown, for docs/reference/logs.md. */
  readonly when: string;
  readonly fields: readonly string[];
  /** Fields that some of its lines lack. */
  readonly more: readonly string[];
}

type Optional<Field extends string> = Field extends `${infer Name}?` ? Name : never;

/** A field whose name ends in `?` is missing in some of the event's lines. */
const eventAt =
  <const Levels extends readonly [LogLevel, ...LogLevel[]]>(...levels: Levels) =>
  <const Field extends string = never>(...fields: readonly Field[]) => ({
    when: (when: string) => ({
      levels,
      when,
      fields: fields.filter((name) => !name.endsWith('?')) as Exclude<Field, `${string}?`>[],
      more: fields.filter((name) => name.endsWith('?')).map((name) => name.slice(0, -1)) as Optional<Field>[],
    }),
  });

const [debug, info, warn] = [eventAt('debug'), eventAt('info'), eventAt('warn')];
const [error, fatal] = [eventAt('error'), eventAt('fatal')];

const ofRequests = [
  'requestId',
  'trace_id',
  'span_id',
  'client',
  'method',
  'route',
  'status',
  'because',
  'campaign',
  'callerGone',
  'milliseconds',
] as const;
const answered = (when: string) => eventAt('info', 'debug')(...ofRequests).when(when);

/** Every event of the log: any other event, level or field does not compile. */
export const logEvents = {
  request: answered('a request was answered; `debug` on the listener for operators'),
  'request-unauthenticated': answered('the same, with 401'),
  'request-forbidden': answered('the same, with 403'),
  'request-limited': answered('the same, with 429'),
  unavailable: warn('requestId', 'trace_id', 'span_id', 'untold', 'err').when(
    'a request got 503 because of the database, Redis, the primary process or the issuer of tokens; at most once a second, with the number of others in `untold`',
  ),
  uncounted: warn('limit', 'passed', 'untold', 'err').when(
    'Redis or the primary process did not count a request for a limit; at most once a second for each limit, with the number of others in `untold`',
  ),
  'issuer-keys-fetched': info('count').when(
    'the public keys of the issuer of tokens were fetched for the first time, or again after a failure',
  ),
  'issuer-keys-failed': warn('untold', 'err').when(
    'the public keys of the issuer could not be fetched; at most once a minute, with the number of other failures in `untold`',
  ),
  'statement-refused': error('statement', 'untold', 'err').when(
    'PostgreSQL refused a statement of the service itself, such as for a missing right; at most once a minute, with the number of others in `untold`',
  ),
  unexpected: error('requestId', 'trace_id', 'span_id', 'err').when(
    'a request got 500 because of a fault of the service',
  ),
  'metrics-failed': error('err').when('`/metrics` could not be answered'),
  'page-failed': error('untold', 'err').when(
    'the page for operators, or its data of the last minutes, could not be made; at most once a minute, with the number of others in `untold`',
  ),
  overload: warn('listener', 'what', 'untold').when(
    'requests or connections beyond a limit are refused: one line in 5 s',
  ),
  tracing: info('sampler', 'ratio').when('requests are traced, as the `OTEL_*` variables say'),
  'spans-lost': warn('count', 'err').when(
    'the collector of traces did not take spans; at most once a minute, and at the end',
  ),
  starting: info('version', 'node', 'migration', 'settings').when('the first line of a start'),
  'setting-doubtful': warn().when('a setting may not be what was meant'),
  'database-awaited': warn().when('the database does not answer yet'),
  'migration-awaited': warn().when('the start waits for another process that migrates'),
  'migration-held': warn().when('another transaction holds what a migration has to change'),
  'pool-too-large': warn().when('the database may not have the connections that `POOL_SIZE` asks for'),
  'pool-unknown': debug('err').when('the number of connections could not be read'),
  'rights-beyond-need': warn('user', 'powers', 'ownsSchema', 'rights').when(
    'the user of the database may do more than the service needs',
  ),
  'rights-unknown': debug('err').when('the rights of that user could not be read'),
  'demonstration-failed': warn('err').when('the demonstration set could not be created'),
  listening: info('host', 'port', 'opsHost', 'opsPort', 'workers?').when('callers are served'),
  'plain-http-exposed': warn('host').when(
    'the service listens beyond the loopback address without `TRUSTED_PROXIES`',
  ),
  'start-failed': fatal('err').when('the start failed because of an unexpected fault'),
  'log-level-changed': info('from', 'to').when('SIGUSR2 changed the level'),
  'log-lines-lost': warn('count').when('lines of the log were lost; the reader is back'),
  failed: fatal('err').when(
    'an uncaught error, or the embedded database is lost for good: the process drains and exits with 1',
  ),
  stopping: info('signal?').when('the process was asked to end'),
  hung: error(
    'part',
    'milliseconds?',
    'requestId?',
    'trace_id?',
    'span_id?',
    'method?',
    'route?',
    'more?',
    'hung?',
    'processId?',
    'signal?',
  ).when('a part, a request or a worker did not end in time'),
  'stop-failed': error('part', 'err').when('a part ended with an error'),
  stopped: info().when('the last line'),
  'worker-listening': info('port').when('a worker serves'),
  'fewer-workers': warn().when('`POOL_SIZE` is below `WORKERS`, so fewer workers serve'),
  'worker-lost': error('lost', 'code', 'signal', 'afterMs').when(
    'a worker ended unexpectedly; another one replaces it',
  ),
  'worker-replaced': info('lost', 'by').when('the replacement serves'),
  'worker-silent': error('silent').when('the event loop of a worker does not run'),
  'worker-silent-no-more': warn('silent').when(
    'the event loop of a silent worker runs again, or the worker has ended',
  ),
  'reload-ignored': warn().when('SIGHUP did nothing: there is one process'),
  restarting: info('workers').when('SIGHUP replaces one worker after the other'),
  restarted: info('workers').when('all workers were replaced'),
  'restart-failed': error().when('a new worker cannot serve; the old ones keep running'),
  'database-elsewhere': info('folder', 'because').when('the data is in this folder, not in the project'),
  'database-created': info('folder?').when('the embedded database was created: the first start'),
  'database-starting': info('folder?', 'port?').when('the embedded database is being started'),
  'database-started': info('processId?', 'port?').when('the embedded database runs'),
  'database-adopted': info('processId?', 'port?').when('the embedded database was running already'),
  'database-lost': warn('processId?', 'port?').when(
    'the connection that watches the embedded database was lost',
  ),
  'database-restarting': info('attempt?', 'afterMs?', 'port?').when(
    'the service tries to reach or restart it, after a pause',
  ),
  'database-restart-failed': warn('attempt?', 'error?').when('that attempt failed'),
  'database-restarted': info('processId?', 'port?', 'attempt?', 'startedByUs?').when(
    'the embedded database runs again, as another process',
  ),
  'database-reconnected': info('processId?', 'port?', 'attempt?', 'startedByUs?').when(
    'the embedded database was still running; the connection is back',
  ),
  'database-given-up': error('attempts?', 'error?').when('the embedded database cannot be restarted'),
  'database-stopping': info('processId?', 'port?').when(
    'the embedded database is being stopped: no other process uses it',
  ),
  'database-stop-forced': warn('processId?', 'afterMs?').when(
    'the embedded database did not end in time and was stopped by force; the next start recovers it',
  ),
  'database-stopped': info('processId?', 'port?', 'folder?', 'already?').when('the embedded database ended'),
  'database-left-running': info('processId?', 'port?').when(
    'the embedded database keeps running: other processes use it',
  ),
} satisfies Readonly<Record<string, LogEvent>> & Readonly<Record<`database-${EmbeddedEvent}`, LogEvent>>;

export type EventName = keyof typeof logEvents;
type Events = typeof logEvents;
type Always<E extends EventName> = Events[E]['fields'][number];
type Sometimes<E extends EventName> = Events[E]['more'][number];
/** The fields that an event may have. */
export type FieldName<E extends EventName = EventName> = Always<E> | Sometimes<E>;

type EventAt<L extends LogLevel> = {
  [E in EventName]: L extends Events[E]['levels'][number] ? E : never;
}[EventName];

type EventFields<E extends EventName> = { readonly event: E } & {
  readonly [F in Always<E>]: unknown;
} & { readonly [F in Sometimes<E>]?: unknown };

type Tell<L extends LogLevel> = <E extends EventAt<L>>(fields: EventFields<E>, message: string) => void;

/** Accepts only these events, each at its levels and with its fields. */
export type Log = Omit<Logger, LogLevel> & LogWriter;

/** The part of it that code needs only to write lines. */
export type LogWriter = { readonly [L in LogLevel]: Tell<L> };

/** For code that reports in another way. */
export const silentLog: LogWriter = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };
