import type { EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import type { Logger } from 'pino';

type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal';

interface LogEvent {
  readonly levels: readonly LogLevel[];
  /** In Markdown, for docs/reference/logs.md. */
  readonly when: string;
  readonly fields: readonly string[];
  /** Those that some of its lines lack. */
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

/** Every event that the log may have: no other one compiles, nor at another level or with other fields. */
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
    when: 'the database, or who counts for a limit, kept a request from being answered: 503; once a second, `untold` others with it',
    fields: ['requestId', 'trace_id', 'span_id', 'untold', 'err'],
  },
  uncounted: {
    levels: ['warn'],
    when: 'Redis, or the primary, did not count a request for a limit; once a second for each limit, `untold` others with it',
    fields: ['limit', 'passed', 'untold', 'err'],
  },
  'statement-refused': {
    levels: ['error'],
    when: 'PostgreSQL refused a statement of the service itself, such as for a missing right; once a minute, `untold` others with it',
    fields: ['statement', 'untold', 'err'],
  },
  unexpected: {
    levels: ['error'],
    when: 'a fault of ours did: 500',
    fields: ['requestId', 'trace_id', 'span_id', 'err'],
  },
  'metrics-failed': { levels: ['error'], when: '`/metrics` could not be told', fields: ['err'] },
  'page-failed': {
    levels: ['error'],
    when: 'the page for operators, or what it keeps of the last minutes, could not be made; once a minute, `untold` others with it',
    fields: ['untold', 'err'],
  },
  overload: {
    levels: ['warn'],
    when: 'more comes than may be carried: it is refused from now on',
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
    when: 'the collector of traces did not take them: once a minute, and at the end',
    fields: ['count', 'err'],
  },
  starting: {
    levels: ['info'],
    when: 'the first line',
    fields: ['version', 'node', 'migration', 'settings'],
  },
  'setting-doubtful': { levels: ['warn'], when: 'a setting that may not be what was meant', fields: [] },
  'database-awaited': { levels: ['warn'], when: 'the database does not answer yet', fields: [] },
  'migration-awaited': { levels: ['warn'], when: 'another process migrates', fields: [] },
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
  'pool-unknown': { levels: ['debug'], when: 'that could not be asked', fields: ['err'] },
  'rights-beyond-need': {
    levels: ['warn'],
    when: 'the user of the database may do more than the service needs',
    fields: ['user', 'powers', 'ownsSchema', 'rights'],
  },
  'rights-unknown': { levels: ['debug'], when: 'that could not be asked', fields: ['err'] },
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
  'start-failed': { levels: ['fatal'], when: 'by a fault that nobody foresaw', fields: ['err'] },
  'log-level-changed': { levels: ['info'], when: 'by SIGUSR2', fields: ['from', 'to'] },
  'log-lines-lost': { levels: ['warn'], when: 'the reader of the log is back', fields: ['count'] },
  failed: {
    levels: ['fatal'],
    when: 'an uncaught error, or the embedded database is lost for good: the process drains and ends with 1',
    fields: ['err'],
  },
  stopping: { levels: ['info'], when: 'it was asked to end', fields: [], more: ['signal'] },
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
    when: 'a worker ended by itself, another one follows',
    fields: ['lost', 'code', 'signal', 'afterMs'],
  },
  'worker-replaced': { levels: ['info'], when: 'that one serves', fields: ['lost', 'by'] },
  'worker-silent': { levels: ['error'], when: 'the event loop of a worker does not run', fields: ['silent'] },
  'worker-silent-no-more': {
    levels: ['warn'],
    when: 'it runs again, or the worker is gone',
    fields: ['silent'],
  },
  'reload-ignored': { levels: ['warn'], when: 'SIGHUP without a terminal, `WORKERS=1`', fields: [] },
  restarting: { levels: ['info'], when: 'SIGHUP: one worker after the other', fields: ['workers'] },
  restarted: { levels: ['info'], when: 'all are new', fields: ['workers'] },
  'restart-failed': {
    levels: ['error'],
    when: 'a new worker cannot serve; those who are left go on',
    fields: [],
  },
  'database-elsewhere': {
    levels: ['info'],
    when: 'the data does not lie in the project, but in this folder',
    fields: ['folder', 'because'],
  },
  'database-created': {
    levels: ['info'],
    when: 'the embedded database was made: the first start',
    fields: [],
    more: ['folder'],
  },
  'database-starting': {
    levels: ['info'],
    when: 'its server is being started',
    fields: [],
    more: ['folder', 'port'],
  },
  'database-started': { levels: ['info'], when: 'it runs', fields: [], more: ['processId', 'port'] },
  'database-adopted': { levels: ['info'], when: 'it ran already', fields: [], more: ['processId', 'port'] },
  'database-lost': {
    levels: ['warn'],
    when: 'the connection that watches it was lost',
    fields: [],
    more: ['processId', 'port'],
  },
  'database-restarting': {
    levels: ['info'],
    when: 'after a pause it is looked for',
    fields: [],
    more: ['attempt', 'afterMs', 'port'],
  },
  'database-restart-failed': { levels: ['warn'], when: 'in vain', fields: [], more: ['attempt', 'error'] },
  'database-restarted': {
    levels: ['info'],
    when: 'another server process runs',
    fields: [],
    more: ['processId', 'port', 'attempt', 'startedByUs'],
  },
  'database-reconnected': {
    levels: ['info'],
    when: 'it had lived on',
    fields: [],
    more: ['processId', 'port', 'attempt', 'startedByUs'],
  },
  'database-given-up': {
    levels: ['error'],
    when: 'it cannot be brought back',
    fields: [],
    more: ['attempts', 'error'],
  },
  'database-stopping': {
    levels: ['info'],
    when: 'nobody else uses it',
    fields: [],
    more: ['processId', 'port'],
  },
  'database-stop-forced': {
    levels: ['warn'],
    when: 'it did not end in time; the next start recovers',
    fields: [],
    more: ['processId', 'afterMs'],
  },
  'database-stopped': {
    levels: ['info'],
    when: 'it ended',
    fields: [],
    more: ['processId', 'port', 'folder', 'already'],
  },
  'database-left-running': {
    levels: ['info'],
    when: 'others use it',
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
/** What the lines of an event may have. */
export type FieldName<E extends EventName = EventName> = Always<E> | Sometimes<E>;

type EventAt<L extends LogLevel> = {
  [E in EventName]: L extends Events[E]['levels'][number] ? E : never;
}[EventName];

type EventFields<E extends EventName> = { readonly event: E } & {
  readonly [F in Always<E>]: unknown;
} & { readonly [F in Sometimes<E>]?: unknown };

type Tell<L extends LogLevel> = <E extends EventAt<L>>(fields: EventFields<E>, message: string) => void;

/** Takes these events only, each at its levels and with its fields. */
export type Log = Omit<Logger, LogLevel> & LogWriter;

/** As much of it as whoever only tells needs. */
export type LogWriter = { readonly [L in LogLevel]: Tell<L> };

/** For who shows what happens by other means. */
export const silentLog: LogWriter = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

/** What the fields mean, in Markdown. */
export const logFields: readonly (readonly [names: readonly FieldName[], means: string])[] = [
  [['requestId'], "the caller's `X-Request-Id`, 1 to 128 visible ASCII characters, or one of ours"],
  [
    ['trace_id', 'span_id'],
    'where requests are traced: the trace of one that is recorded, or that its caller told of, 32 hexadecimal digits; and its span in it, 16, where it is recorded',
  ],
  [['client'], 'its IP address, as far as `TRUSTED_PROXIES` tell; `-` where the connection was gone at once'],
  [['method'], 'as it was sent; `-` where it could not be read'],
  [['route'], 'the pattern of the route, `-` where there is none: never the path'],
  [['status'], 'HTTP status of the answer'],
  [['because'], 'why it was not 200; why the data lies elsewhere'],
  [['campaign'], 'its identifier, where it is one'],
  [['statement'], 'the name of the statement that PostgreSQL refused'],
  [['callerGone'], '`true`: the caller did not wait for the answer'],
  [['milliseconds'], 'how long it took'],
  [['untold'], 'how often the same happened since the last such line, but this one'],
  [['limit'], '`key`: `RATE_LIMIT`; `failed-keys`: `FAILED_KEY_LIMIT`'],
  [['passed'], '`false`: the request got 503, as `RATE_LIMIT_WHEN_AWAY` has it'],
  [
    ['err'],
    "`type`, `message`, `code` (SQLSTATE or the system's), `stack`, `cause`; without the values that a database quotes",
  ],
  [['error'], 'the message of an error'],
  [['listener'], '`callers` or `operators`'],
  [['what'], '`requests`, `event-loop-delay`, `pipelined-requests` or `connections`'],
  [['refused'], 'how many'],
  [['version', 'node', 'migration'], 'ours, that of Node, the newest migration that this version has'],
  [['settings'], 'those that differ from their defaults, as they were written; no secret'],
  [['user'], "name of the database's user"],
  [['powers'], 'such as `superuser`, `createrole`'],
  [['ownsSchema'], 'it may change all that is in the schema'],
  [['rights'], 'too many, such as `delete on mirrors`; the first 20'],
  [
    ['host', 'port', 'opsHost', 'opsPort'],
    'where it listens; `port` of an embedded database: where that does',
  ],
  [['workers'], 'how many'],
  [['from', 'to'], 'levels'],
  [['count'], 'lines; spans'],
  [['sampler', 'ratio'], 'as `OTEL_TRACES_SAMPLER` and its `_ARG` name them'],
  [['signal'], 'by its name'],
  [['part'], 'of the process, such as `http` or `database pool`'],
  [['more'], 'requests that are not named one by one'],
  [['hung', 'lost', 'by', 'silent'], 'numbers of workers'],
  [['processId'], "of another process than the line's"],
  [['code'], 'exit code'],
  [['afterMs'], 'milliseconds until the next try, or waited for'],
  [['attempt', 'attempts'], 'which one; how many'],
  [['startedByUs'], '`false`: another process did'],
  [['folder'], 'of the embedded database'],
  [['already'], '`true`: it had ended before'],
];
