import {
  address,
  caFile,
  databaseHost,
  databaseUrl,
  folder,
  hosts,
  oneOf,
  origins,
  proxies,
  rate,
  redisUrl,
  type SettingType,
  sslMode,
  text,
  time,
  wholeNumber,
  workers,
} from './setting-types.ts';
import { claimText, keySetUrl, tokenAlgorithms } from './token-setting-types.ts';

export interface Setting {
  readonly accepts: SettingType<unknown>;
  /** As written in the environment; undefined for an optional setting without a default. */
  readonly byDefault?: string;
  readonly means: string;
  /** Its value never reaches a message. */
  readonly secret?: true;
}

/** By its type and its default, as written in the environment; then what it means, for tables and help. */
const setting = <Value>(accepts: SettingType<Value>, byDefault: string) => ({
  means: (means: string) => ({ accepts, byDefault, means }),
});
const optional = <Value>(accepts: SettingType<Value>) => ({ means: (means: string) => ({ accepts, means }) });
const secret = <Value>(accepts: SettingType<Value>) => ({
  means: (means: string) => ({ accepts, means, secret: true as const }),
});

/** Every setting: environment variables, all optional. */
export const settings = {
  HOST: setting(address, '127.0.0.1').means('address that the service listens on'),
  PORT: setting(wholeNumber(0, 65_535), '3000').means(
    'port that the service listens on; 0 takes a free one and says which',
  ),
  TRUSTED_PROXIES: optional(proxies).means(
    'the TLS proxies in front, such as `127.0.0.1,10.0.0.0/8,fd00::/8`, or `loopback`: what they say about the client is trusted',
  ),
  OPS_HOST: setting(address, '127.0.0.1').means(
    'address of the listener for operators: a page at `/`, `/livez`, `/readyz`, `/version`, `/metrics`',
  ),
  OPS_PORT: setting(wholeNumber(0, 65_535), '3001').means('port of that listener; 0 takes a free one'),
  DATABASE_URL: secret(databaseUrl).means(
    'your PostgreSQL, 15 to 18; without it and `PGHOST`, an embedded one runs in `DATA_DIR`',
  ),
  PGHOST: optional(databaseHost).means(
    'another way to name the database: its host, or the folder of its socket; not with `DATABASE_URL`',
  ),
  PGPORT: optional(wholeNumber(1, 65_535)).means(
    'port of the database, otherwise 5432; this and the other `PG…` settings go with `PGHOST`, or supply what `DATABASE_URL` leaves out',
  ),
  PGUSER: optional(text).means('user of the database, otherwise that of the operating system'),
  PGPASSWORD: secret(text).means('password of that user'),
  PGDATABASE: optional(text).means('name of the database, otherwise that of the user'),
  PGSSLMODE: optional(sslMode).means(
    'TLS to the database, as `sslmode` in `DATABASE_URL`; otherwise `verify-full` with a CA, `disable` without one',
  ),
  PGSSLROOTCERT: optional(caFile).means(
    'file with the certificate of the CA, or `system`, as `sslrootcert` in `DATABASE_URL`',
  ),
  DATABASE_WAIT: setting(time('0s', '60m'), '10s').means(
    'how long the start waits for a database that does not answer',
  ),
  DATA_DIR: setting(folder, '.data').means('folder of the embedded database; the default is in the project'),
  RUN_MIGRATIONS: setting(oneOf('true', 'false'), 'true').means(
    'whether the start brings the schema up to date; with `false` the service needs no right to do so',
  ),
  DEMO: optional(oneOf('on', 'off')).means(
    'create a demonstration set if there is no data; by default on the embedded database only; never with `NODE_ENV=production` or `IDENTITY=jwt`',
  ),
  LOG_LEVEL: setting(oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'), 'info').means(
    'the least severe lines that are logged',
  ),
  MIRROR_HOST_DENYLIST: setting(hosts, '').means(
    'hosts that no mirror may point to, such as `go.example.com,*.example.com`',
  ),
  BODY_LIMIT: setting(wholeNumber(1_024, 1_048_576), '16384').means('largest request body, in bytes'),
  DOCS: setting(oneOf('on', 'off'), 'on').means('the page at `/docs`, where the call can be tried'),
  CORS_ORIGINS: optional(origins).means(
    'origins whose pages may call from a browser, such as `https://tools.example`; none by default',
  ),
  HSTS_SECONDS: setting(wholeNumber(0, 63_072_000), '0').means(
    'seconds for which browsers must use https for this host (`Strict-Transport-Security`); 0 leaves that to the proxy',
  ),
  MAX_IN_FLIGHT: setting(wholeNumber(1, 100_000), '512').means(
    'requests that a process carries out at once; those beyond it get 503 after a second',
  ),
  MAX_EVENT_LOOP_DELAY: setting(time('10ms', '60s'), '500ms').means(
    'how late the event loop of a process may be before it answers 503 to every request',
  ),
  MAX_CONNECTIONS: setting(wholeNumber(1, 1_000_000), '4096').means(
    'connections of callers that a process holds open; those beyond it are closed at once',
  ),
  IDENTITY: setting(oneOf('keys', 'jwt', 'both'), 'keys').means(
    'how callers are identified: by access keys, by tokens that an issuer signs (JWT), or by either; tokens require `JWT_ISSUER`, `JWT_AUDIENCE` and `JWT_JWKS_URL`',
  ),
  JWT_ISSUER: optional(claimText).means('the issuer of the tokens, exactly as in their claim `iss`'),
  JWT_AUDIENCE: optional(claimText).means(
    'what their claim `aud` must be or contain: this service, as the issuer knows it',
  ),
  JWT_JWKS_URL: optional(keySetUrl).means(
    "the issuer's public keys (JWKS): `https`, or `http` on this machine; redirects are not followed",
  ),
  JWT_ALGORITHMS: setting(tokenAlgorithms, 'RS256,PS256,ES256,EdDSA').means(
    'the algorithms with which tokens may be signed',
  ),
  JWT_OWNER_CLAIM: setting(claimText, 'owner_id').means(
    'the claim with the number of the owner: a number, or its digits as text',
  ),
  JWT_SUBJECT_CLAIM: setting(claimText, 'sub').means(
    'the claim with the name that the history shows and `RATE_LIMIT` counts, at most 200 characters',
  ),
  JWT_CLOCK_TOLERANCE: setting(time('0s', '5m'), '30s').means(
    "how far the issuer's clock may differ: that long after its expiry a token is still accepted",
  ),
  JWT_KEYS_MAX_AGE: setting(time('1s', '1440m'), '10m').means(
    'how long the public keys are used before they are fetched again; from then on a key that the issuer removed is refused',
  ),
  JWT_KEYS_STALE_IF_ERROR: setting(time('0s', '1440m'), '60m').means(
    'how long after that they are still used if the issuer does not answer; then 503',
  ),
  RATE_LIMIT: setting(rate, 'off').means(
    'how often each access key, or subject of tokens, may call; calls beyond that get 429',
  ),
  FAILED_KEY_LIMIT: setting(rate, '600/1m').means(
    'how often an address (IPv6: its /64) may send keys that are refused; further ones get 429 instead of 401, but valid keys never do',
  ),
  RATE_LIMIT_WHEN_AWAY: setting(oneOf('open', 'closed'), 'open').means(
    'what happens if Redis or the primary process does not answer: `open` lets the call pass, `closed` answers 503',
  ),
  REDIS_URL: secret(redisUrl).means(
    'a Redis in which several machines count together, such as `redis://host:6379/0`, or `rediss:` with TLS; without it, each machine counts separately',
  ),
  HEADERS_TIMEOUT: setting(time('10ms', '60m'), '10s').means(
    'how long a caller may take to send the headers of a request; then 408',
  ),
  REQUEST_TIMEOUT: setting(time('10ms', '60m'), '30s').means(
    'how long a caller may take to send the whole request; then 408',
  ),
  ANSWER_TIMEOUT: setting(time('10ms', '60m'), '30s').means(
    'how long a connection may stand still while an answer is sent; then it is cut',
  ),
  IDLE_TIMEOUT: setting(time('10ms', '60m'), '75s').means(
    'how long a connection may idle between two requests; must be longer than in the proxy in front',
  ),
  READINESS_TIMEOUT: setting(time('10ms', '60s'), '1s').means(
    'how long the database may take to answer for `/readyz`',
  ),
  METRICS: setting(oneOf('on', 'off'), 'on').means('collect metrics and serve them at `/metrics`'),
  WORKERS: setting(workers, '1').means(
    'processes that serve, under a primary process that supervises them; `auto`: one for each core; 1: a single process, without a primary',
  ),
  SHUTDOWN_DELAY: setting(time('0s', '60m'), '0s').means(
    'how long new connections are still served at a shutdown, while `/readyz` already answers 503',
  ),
  SHUTDOWN_TIMEOUT: setting(time('0s', '60m'), '10s').means(
    'how long requests may take to finish at a shutdown; unfinished ones get 503',
  ),
  POOL_SIZE: setting(wholeNumber(1, 1_000), '10').means(
    'maximum number of database connections; workers share them',
  ),
  POOL_WAIT_TIMEOUT: setting(time('10ms', '60s'), '3s').means(
    'how long a request waits for a database connection',
  ),
  STATEMENT_TIMEOUT: setting(time('0ms', '60s'), '5s').means(
    'how long a statement may take, enforced by the server; `0ms` leaves the limit to the server',
  ),
  QUERY_TIMEOUT: setting(time('10ms', '120s'), '6s').means(
    'how long the service waits for an answer of the database; must be longer than `STATEMENT_TIMEOUT`',
  ),
  DATABASE_POOLER: setting(oneOf('none', 'transaction'), 'none').means(
    '`transaction` behind a pooler such as PgBouncer: no prepared statements, and `STATEMENT_TIMEOUT` is left to the server',
  ),
  CAMPAIGN_MIRROR_KEY: secret(text).means(
    'access key for `./campaign-mirror mirror set`, which otherwise asks for it',
  ),
  NODE_ENV: setting(text, '').means('`production`: no demonstration set'),
} satisfies Readonly<Record<string, Setting>>;

type Table = typeof settings;
export type SettingName = keyof Table;
type Value<Name extends keyof Table> = Table[Name]['accepts'] extends SettingType<infer Read> ? Read : never;

/** The settings in force. Times in milliseconds. */
export type Settings = {
  readonly [Name in keyof Table]: Table[Name] extends { byDefault: string }
    ? Value<Name>
    : Value<Name> | undefined;
};
