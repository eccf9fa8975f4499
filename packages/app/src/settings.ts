import { fileURLToPath } from 'node:url';
import { type HostDenylist, hostDenylist } from '@campaign-mirror/domain';
import * as v from 'valibot';
import { databaseConfig } from './database-url.ts';

/** The project's own folder: the default place of the embedded database, wherever a command is called from. */
const projectFolder = fileURLToPath(new URL('../../../', import.meta.url));

const wholeNumber = (from: number, to: number) => {
  const accepted = `a whole number from ${from} to ${to}`;
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,9}$/, accepted),
    v.transform(Number),
    v.minValue(from, accepted),
    v.maxValue(to, accepted),
  );
};

const oneOf = <const Choices extends readonly string[]>(...choices: Choices) =>
  v.picklist(choices, choices.join(' or '));

const unitMilliseconds = { ms: 1, s: 1_000, m: 60_000 } as const;

/** Milliseconds. */
const time = (from: string, to: string) => {
  const accepted = `a time such as 500ms, 10s or 2m, from ${from} to ${to}`;
  return v.pipe(
    v.string(),
    v.regex(/^[0-9]{1,9}(?:ms|s|m)$/, accepted),
    v.transform(milliseconds),
    v.minValue(milliseconds(from), accepted),
    v.maxValue(milliseconds(to), accepted),
  );
};

function milliseconds(text: string): number {
  const unit = text.replace(/^[0-9]+/, '') as keyof typeof unitMilliseconds;
  return Number.parseInt(text, 10) * unitMilliseconds[unit];
}

const denylist = v.pipe(
  v.string(),
  v.transform((text) => hostDenylist(text.split(/[\s,]+/).filter(Boolean))),
  v.check(
    (list) => !('notAHost' in list),
    'host names such as go.example.com or *.example.com, with commas between them',
  ),
  v.transform((list) => list as HostDenylist),
);

const databaseUrl = v.pipe(
  v.string(),
  v.check(
    isDatabaseUrl,
    'a URL such as postgres://user:password@host:5432/database, with one host, and parameters that node-postgres takes',
  ),
);

function isDatabaseUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:\/\//i.test(text) || url.host.includes(',')) return false;
  const mode = url.searchParams.get('sslmode') ?? 'disable';
  if (!/^(?:disable|prefer|require|verify-ca|verify-full|no-verify)$/.test(mode)) return false;
  try {
    databaseConfig(text);
    return true;
  } catch {
    return false;
  }
}

type Schema = v.GenericSchema<string, unknown>;

interface Setting {
  readonly accepts: Schema;
  /** As it would be written; none where the setting may be left out. */
  readonly byDefault?: string;
  readonly means: string;
  /** Its value never reaches a message. */
  readonly secret?: true;
}

const setting = <const One extends Setting>(one: One) => one;

/** Every setting: environment variables, all of them optional. */
export const settings = {
  HOST: setting({
    accepts: v.string(),
    byDefault: '127.0.0.1',
    means: 'address that the service listens on',
  }),
  PORT: setting({
    accepts: wholeNumber(0, 65_535),
    byDefault: '3000',
    means: 'port that the service listens on; 0 takes a free one and says which',
  }),
  OPS_HOST: setting({
    accepts: v.string(),
    byDefault: '127.0.0.1',
    means: 'address of the listener for operators: `/livez`, `/readyz`',
  }),
  OPS_PORT: setting({
    accepts: wholeNumber(0, 65_535),
    byDefault: '3001',
    means: 'its port; 0 takes a free one',
  }),
  DATABASE_URL: setting({
    accepts: databaseUrl,
    secret: true,
    means: 'your PostgreSQL, 15 to 18; without it an embedded one is run in `DATA_DIR`',
  }),
  DATABASE_WAIT: setting({
    accepts: time('0s', '60m'),
    byDefault: '10s',
    means: 'how long a database that does not answer is waited for at the start',
  }),
  DATA_DIR: setting({
    accepts: v.pipe(v.string(), v.nonEmpty('a folder')),
    byDefault: '.data',
    means: 'folder of the embedded database; the default lies in the project',
  }),
  RUN_MIGRATIONS: setting({
    accepts: oneOf('true', 'false'),
    byDefault: 'true',
    means: 'bring the schema up to date at the start; `false` needs no right to do so',
  }),
  DEMO: setting({
    accepts: oneOf('on', 'off'),
    means:
      'a demonstration set where there is no data; by default on the embedded database only, and not with `NODE_ENV=production`',
  }),
  LOG_LEVEL: setting({
    accepts: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    byDefault: 'info',
    means: 'the least severe lines that are logged',
  }),
  MIRROR_HOST_DENYLIST: setting({
    accepts: denylist,
    byDefault: '',
    means: 'hosts that no mirror may point to, such as `go.example.com,*.example.com`',
  }),
  KEY_CACHE_SECONDS: setting({
    accepts: wholeNumber(0, 5),
    byDefault: '0',
    means: 'how long a valid key is remembered, and a revocation may go unheard',
  }),
  BODY_LIMIT: setting({
    accepts: wholeNumber(1_024, 1_048_576),
    byDefault: '16384',
    means: 'largest request body, in bytes',
  }),
  RETRY_AFTER: setting({
    accepts: wholeNumber(1, 3_600),
    byDefault: '1',
    means: 'seconds that a 503 asks the caller to wait',
  }),
  SHUTDOWN_TIMEOUT: setting({
    accepts: time('0s', '60m'),
    byDefault: '10s',
    means: 'how long requests may take to finish at the end; what is left gets 503',
  }),
  POOL_SIZE: setting({
    accepts: wholeNumber(1, 1_000),
    byDefault: '10',
    means: 'database connections, at most',
  }),
  POOL_WAIT_TIMEOUT: setting({
    accepts: time('10ms', '60s'),
    byDefault: '3s',
    means: 'how long a request waits for a database connection',
  }),
  STATEMENT_TIMEOUT: setting({
    accepts: time('0ms', '60s'),
    byDefault: '5s',
    means: 'how long a statement may take, by the server; `0ms` leaves it to the server',
  }),
  QUERY_TIMEOUT: setting({
    accepts: time('10ms', '120s'),
    byDefault: '6s',
    means: 'how long an answer of the database is waited for; above `STATEMENT_TIMEOUT`',
  }),
  NAMED_STATEMENTS: setting({
    accepts: oneOf('on', 'off'),
    byDefault: 'on',
    means: 'prepared statements; `off`, with `STATEMENT_TIMEOUT=0ms`, for a pooler that keeps none',
  }),
  GROUP_COMMIT: setting({
    accepts: oneOf('on', 'off'),
    byDefault: 'on',
    means:
      'updates that arrive while others are under way go together, and share a commit; `off`: each alone',
  }),
  NODE_ENV: setting({ accepts: v.string(), byDefault: '', means: '`production`: no demonstration set' }),
} as const;

type Table = typeof settings;
type Value<Name extends keyof Table> = v.InferOutput<Table[Name]['accepts']>;

/** What is in force. Times in milliseconds. */
export type Settings = {
  readonly [Name in keyof Table]: Table[Name] extends { byDefault: string }
    ? Value<Name>
    : Value<Name> | undefined;
};

/**
 * Reads the settings from the environment; a variable that is set to nothing counts as left out.
 * With `wrong` there is one line for each wrong value: its name, what is accepted, never a secret.
 */
export function readSettings(environment: NodeJS.ProcessEnv): { settings: Settings } | { wrong: string[] } {
  const read: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const [name, one] of Object.entries<Setting>(settings)) {
    const text = environment[name] || one.byDefault;
    if (text === undefined) continue;
    const parsed = v.safeParse(one.accepts, text, { abortEarly: true, abortPipeEarly: true });
    if (parsed.success) read[name] = parsed.output;
    else wrong.push(mistake(name, parsed.issues[0].message, one.secret ? undefined : text));
  }
  if (wrong.length === 0) wrong.push(...contradictions(read as Settings));
  return wrong.length > 0 ? { wrong } : { settings: read as Settings };
}

function mistake(name: string, accepted: string, value: string | undefined): string {
  return `${name} must be ${accepted}${value === undefined ? '' : `, not ${JSON.stringify(value)}`}`;
}

function contradictions(read: Settings): string[] {
  const found: string[] = [];
  if (read.PORT !== 0 && read.PORT === read.OPS_PORT && read.HOST === read.OPS_HOST) {
    found.push(`PORT and OPS_PORT must differ, both are ${read.PORT}`);
  }
  if (read.QUERY_TIMEOUT <= read.STATEMENT_TIMEOUT) {
    found.push('QUERY_TIMEOUT must be above STATEMENT_TIMEOUT');
  }
  return found;
}

/** The data folder: the default lies in the project, any other counts from where the command is called. */
export function dataFolder(read: Settings): string {
  return read.DATA_DIR === settings.DATA_DIR.byDefault ? `${projectFolder}.data` : read.DATA_DIR;
}
