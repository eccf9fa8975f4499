import type { EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import type { Logger } from 'pino';

type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

interface LogEvent {
  readonly levels: readonly LogLevel[];
  /** In Markdown, for docs/reference/logs.md. */
  readonly when: string;
  readonly fields: readonly string[];
  /** Fields that some of its lines lack. */
  readonly more?: readonly string[];
}

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

/** Every event of the log: any other event, level or field does not compile. */
export const logEvents = {
  request: {
    levels: ['info', 'debug'],
    when: 'a request was answered; `debug` on the listener for operators',
    fields: ofRequests,
  },
  'request-unauthenticated': { levels: ['info', 'debug'], when: 'the same with 401', fields: ofRequests },
  'request-forbidden': { levels: ['info', 'debug'], when: 'the same with 403', fields: ofRequests },
  'request-limited': { levels: ['info', 'debug'], when: 'the same with 429', fields: ofRequests },
  unavailable: {
    levels: ['warn'],
    when: 'a request got 503 because of the database, Redis or the primary; at most once a second, with the number of others in `untold`',
    fields: ['requestId', 'trace_id', 'span_id', 'untold', 'err'],
  },
  uncounted: {
    levels: ['warn'],
    when: 'Redis or the primary did not count a request for a limit; at most once a second for each limit, with the number of others in `untold`',
    fields: ['limit', 'passed', 'untold', 'err'],
  },
  'issuer-keys-fetched': {
    levels: ['info'],
    when: 'the public keys of the issuer of tokens were fetched for the first time, or again after a failure',
    fields: ['count'],
  },
  'issuer-keys-failed': {
    levels: ['warn'],
    when: 'they could not be fetched; at most once a minute, with the number of other failures in `untold`',
    fields: ['untold', 'err'],
  },
  'statement-refused': {
    levels: ['error'],
    when: 'PostgreSQL refused a statement of the service itself, such as for a missing right; at most once a minute, with the number of others in `untold`',
    fields: ['statement', 'untold', 'err'],
  },
  unexpected: {
    levels: ['error'],
    when: 'a request got 500 because of a fault of the service',
    fields: ['requestId', 'trace_id', 'span_id', 'err'],
  },
  'metrics-failed': { levels: ['error'], when: '`/metrics` could not be answered', fields: ['err'] },
  'page-failed': {
    levels: ['error'],
    when: 'the page for operators, or its data of the last minutes, could not be made; at most once a minute, with the number of others in `untold`',
    fields: ['untold', 'err'],
  },
  overload: {
    levels: ['warn'],
    when: 'requests or connections beyond a limit are refused from now on',
    fields: ['listener', 'what'],
  },
  'overload-over': {
    levels: ['warn'],
    when: 'nothing was refused for a while',
    fields: ['listener', 'what', 'refused', 'milliseconds'],
  },
  tracing: {
    levels: ['info'],
    when: 'requests are traced, by the `OTEL_*` variables',
    fields: ['sampler', 'ratio'],
  },
  'spans-lost': {
    levels: ['warn'],
    when: 'the collector of traces did not take spans; at most once a minute, and at the end',
    fields: ['count', 'err'],
  },
  starting: {
    levels: ['info'],
    when: 'the first line of a start',
    fields: ['version', 'node', 'migration', 'settings'],
  },
  'setting-doubtful': { levels: ['warn'], when: 'a setting may not be what was meant', fields: [] },
  'database-awaited': { levels: ['warn'], when: 'the database does not answer yet', fields: [] },
  'migration-awaited': {
    levels: ['warn'],
    when: 'the start waits for another process that migrates',
    fields: [],
  },
  'migration-held': {
    levels: ['warn'],
    when: 'another transaction holds what a migration has to change',
    fields: [],
  },
  'pool-too-large': {
    levels: ['warn'],
    when: 'the database may not have the connections that `POOL_SIZE` asks for',
    fields: [],
  },
  'pool-unknown': { levels: ['debug'], when: 'the number of connections could not be read', fields: ['err'] },
  'rights-beyond-need': {
    levels: ['warn'],
    when: 'the user of the database may do more than the service needs',
    fields: ['user', 'powers', 'ownsSchema', 'rights'],
  },
  'rights-unknown': { levels: ['debug'], when: 'it could not be read', fields: ['err'] },
  'demonstration-failed': {
    levels: ['warn'],
    when: 'the demonstration set could not be made',
    fields: ['err'],
  },
  listening: {
    levels: ['info'],
    when: 'callers are served',
    fields: ['host', 'port', 'opsHost', 'opsPort'],
    more: ['workers'],
  },
  'plain-http-exposed': {
    levels: ['warn'],
    when: 'others can reach the service, and no proxy is named',
    fields: ['host'],
  },
  'start-failed': { levels: ['fatal'], when: 'the start failed by an unexpected fault', fields: ['err'] },
  'log-level-changed': { levels: ['info'], when: 'SIGUSR2 changed the level', fields: ['from', 'to'] },
  'log-lines-lost': {
    levels: ['warn'],
    when: 'lines of the log were lost; the reader is back',
    fields: ['count'],
  },
  failed: {
    levels: ['fatal'],
    when: 'an uncaught error, or the embedded database is lost for good: the process drains and ends with 1',
    fields: ['err'],
  },
  stopping: { levels: ['info'], when: 'the process was asked to end', fields: [], more: ['signal'] },
  hung: {
    levels: ['error'],
    when: 'a part, a request or a worker did not end in its time',
    fields: ['part'],
    more: [
      'milliseconds',
      'requestId',
      'trace_id',
      'span_id',
      'method',
      'route',
      'more',
      'hung',
      'processId',
      'signal',
    ],
  },
  'stop-failed': { levels: ['error'], when: 'a part ended by an error', fields: ['part', 'err'] },
  stopped: { levels: ['info'], when: 'the last line', fields: [] },
  'worker-listening': { levels: ['info'], when: 'a worker serves', fields: ['port'] },
  'fewer-workers': { levels: ['warn'], when: '`POOL_SIZE` is below `WORKERS`', fields: [] },
  'worker-lost': {
    levels: ['error'],
    when: 'a worker ended unexpectedly; another one replaces it',
    fields: ['lost', 'code', 'signal', 'afterMs'],
  },
  'worker-replaced': { levels: ['info'], when: 'the replacement serves', fields: ['lost', 'by'] },
  'worker-silent': { levels: ['error'], when: 'the event loop of a worker does not run', fields: ['silent'] },
  'worker-silent-no-more': {
    levels: ['warn'],
    when: 'the event loop of a silent worker runs again, or the worker has ended',
    fields: ['silent'],
  },
  'reload-ignored': { levels: ['warn'], when: 'SIGHUP did nothing: there is one process', fields: [] },
  restarting: { levels: ['info'], when: 'SIGHUP replaces one worker after the other', fields: ['workers'] },
  restarted: { levels: ['info'], when: 'all workers were replaced', fields: ['workers'] },
  'restart-failed': {
    levels: ['error'],
    when: 'a new worker cannot serve; the old ones keep running',
    fields: [],
  },
  'database-elsewhere': {
    levels: ['info'],
    when: 'the data is in this folder, not in the project',
    fields: ['folder', 'because'],
  },
  'database-created': {
    levels: ['info'],
    when: 'the embedded database was created: the first start',
    fields: [],
    more: ['folder'],
  },
  'database-starting': {
    levels: ['info'],
    when: 'the embedded database is being started',
    fields: [],
    more: ['folder', 'port'],
  },
  'database-started': {
    levels: ['info'],
    when: 'the embedded database runs',
    fields: [],
    more: ['processId', 'port'],
  },
  'database-adopted': {
    levels: ['info'],
    when: 'the embedded database was running already',
    fields: [],
    more: ['processId', 'port'],
  },
  'database-lost': {
    levels: ['warn'],
    when: 'the connection that watches the embedded database was lost',
    fields: [],
    more: ['processId', 'port'],
  },
  'database-restarting': {
    levels: ['info'],
    when: 'the service tries to reach or restart it, after a pause',
    fields: [],
    more: ['attempt', 'afterMs', 'port'],
  },
  'database-restart-failed': {
    levels: ['warn'],
    when: 'that attempt failed',
    fields: [],
    more: ['attempt', 'error'],
  },
  'database-restarted': {
    levels: ['info'],
    when: 'the embedded database runs again, as another process',
    fields: [],
    more: ['processId', 'port', 'attempt', 'startedByUs'],
  },
  'database-reconnected': {
    levels: ['info'],
    when: 'the embedded database was still running; the connection is back',
    fields: [],
    more: ['processId', 'port', 'attempt', 'startedByUs'],
  },
  'database-given-up': {
    levels: ['error'],
    when: 'the embedded database cannot be restarted',
    fields: [],
    more: ['attempts', 'error'],
  },
  'database-stopping': {
    levels: ['info'],
    when: 'the embedded database is being stopped: no other process uses it',
    fields: [],
    more: ['processId', 'port'],
  },
  'database-stop-forced': {
    levels: ['warn'],
    when: 'the embedded database did not end in time and was stopped by force; the next start recovers it',
    fields: [],
    more: ['processId', 'afterMs'],
  },
  'database-stopped': {
    levels: ['info'],
    when: 'the embedded database ended',
    fields: [],
    more: ['processId', 'port', 'folder', 'already'],
  },
  'database-left-running': {
    levels: ['info'],
    when: 'the embedded database keeps running: other processes use it',
    fields: [],
    more: ['processId', 'port'],
  },
} as const satisfies Readonly<Record<string, LogEvent>> &
  Readonly<Record<`database-${EmbeddedEvent}`, LogEvent>>;

export type EventName = keyof typeof logEvents;
type Events = typeof logEvents;
type Always<E extends EventName> = Events[E]['fields'][number];
type Sometimes<E extends EventName> = E extends EventName
  ? Events[E] extends { more: readonly (infer F extends string)[] }
    ? F
    : never
  : never;
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

/** The meaning of the fields, in Markdown. */
export const logFields: readonly (readonly [names: readonly FieldName[], means: string])[] = [
  [['requestId'], "the caller's `X-Request-Id`, 1 to 128 visible ASCII characters, or one of ours"],
  [
    ['trace_id', 'span_id'],
    'if requests are traced: the trace of the request, recorded or sent by its caller, 32 hexadecimal digits; and its span, 16, if it is recorded',
  ],
  [
    ['client'],
    'IP address of the caller, as far as `TRUSTED_PROXIES` allow; `-` if the connection closed at once',
  ],
  [['method'], 'method as it was sent; `-` if it could not be read'],
  [['route'], 'the pattern of the route, `-` if there is none; never the path'],
  [['status'], 'HTTP status of the answer'],
  [['because'], 'why the status was not 200; why the data is elsewhere'],
  [['campaign'], 'identifier of the campaign, if it is well-formed'],
  [['statement'], 'the name of the statement that PostgreSQL refused'],
  [['callerGone'], '`true`: the caller did not wait for the answer'],
  [['milliseconds'], 'how long it took'],
  [['untold'], 'how often the same happened since the last such line, without this one'],
  [['limit'], '`key`: `RATE_LIMIT`; `failed-keys`: `FAILED_KEY_LIMIT`'],
  [['passed'], '`false`: the request got 503, as `RATE_LIMIT_WHEN_AWAY` says'],
  [
    ['err'],
    "`type`, `message`, `code` (SQLSTATE or the system's), `stack`, `cause`; without the values that a database quotes",
  ],
  [['error'], 'the message of an error'],
  [['listener'], '`callers` or `operators`'],
  [['what'], '`requests`, `event-loop-delay`, `pipelined-requests` or `connections`'],
  [['refused'], 'how many'],
  [
    ['version', 'node', 'migration'],
    'version of the service, of Node, the newest migration that this version has',
  ],
  [['settings'], 'those that differ from their defaults, as they were written; no secret'],
  [['user'], "name of the database's user"],
  [['powers'], 'such as `superuser`, `createrole`'],
  [['ownsSchema'], 'the user may change everything in the schema'],
  [['rights'], 'rights beyond need, such as `delete on mirrors`; the first 20'],
  [['host', 'port', 'opsHost', 'opsPort'], 'where the service listens, or with `port` the embedded database'],
  [['workers'], 'how many'],
  [['from', 'to'], 'levels'],
  [['count'], 'lines; spans; keys'],
  [['sampler', 'ratio'], 'as `OTEL_TRACES_SAMPLER` and its `_ARG` name them'],
  [['signal'], 'name of the signal'],
  [['part'], 'part of the process, such as `http` or `database pool`'],
  [['more'], 'requests that are not named one by one'],
  [['hung', 'lost', 'by', 'silent'], 'numbers of workers'],
  [['processId'], 'another process than that of the line'],
  [['code'], 'exit code'],
  [['afterMs'], 'milliseconds until the next attempt, or waited'],
  [['attempt', 'attempts'], 'which one; how many'],
  [['startedByUs'], '`false`: another process did'],
  [['folder'], 'of the embedded database'],
  [['already'], '`true`: it had ended before'],
];
