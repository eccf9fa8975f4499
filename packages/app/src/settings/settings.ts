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

const setting = <const One extends Setting>(one: One) => one;

/** Every setting: environment variables, all optional. */
export const settings = {
  HOST: setting({
    accepts: address,
    byDefault: '127.0.0.1',
    means: 'address that the service listens on',
  }),
  PORT: setting({
    accepts: wholeNumber(0, 65_535),
    byDefault: '3000',
    means: 'port that the service listens on; 0 takes a free one and says which',
  }),
  TRUSTED_PROXIES: setting({
    accepts: proxies,
    means:
      'the TLS proxies before it, such as `127.0.0.1,10.0.0.0/8,fd00::/8`, or `loopback`: what they tell of the client is believed',
  }),
  OPS_HOST: setting({
    accepts: address,
    byDefault: '127.0.0.1',
    means:
      'address of the listener for operators: a page at `/`, `/livez`, `/readyz`, `/version`, `/metrics`',
  }),
  OPS_PORT: setting({
    accepts: wholeNumber(0, 65_535),
    byDefault: '3001',
    means: 'its port; 0 takes a free one',
  }),
  DATABASE_URL: setting({
    accepts: databaseUrl,
    secret: true,
    means: 'your PostgreSQL, 15 to 18; without it and `PGHOST` an embedded one is run in `DATA_DIR`',
  }),
  PGHOST: setting({
    accepts: databaseHost,
    means: 'another way to name the database: its host, or the folder of its socket; not with `DATABASE_URL`',
  }),
  PGPORT: setting({
    accepts: wholeNumber(1, 65_535),
    means:
      'its port, else 5432; this and what follows is what `DATABASE_URL` leaves out, or goes with `PGHOST`',
  }),
  PGUSER: setting({ accepts: text, means: 'user of the database, otherwise that of the operating system' }),
  PGPASSWORD: setting({ accepts: text, secret: true, means: 'password of that user' }),
  PGDATABASE: setting({ accepts: text, means: 'name of the database, otherwise that of the user' }),
  PGSSLMODE: setting({
    accepts: sslMode,
    means:
      'TLS to the database, as `sslmode` in `DATABASE_URL`; otherwise `verify-full` with a CA, `disable` without one',
  }),
  PGSSLROOTCERT: setting({
    accepts: caFile,
    means: 'file with the certificate of the CA, or `system`, as `sslrootcert` in `DATABASE_URL`',
  }),
  DATABASE_WAIT: setting({
    accepts: time('0s', '60m'),
    byDefault: '10s',
    means: 'how long the start waits for a database that does not answer',
  }),
  DATA_DIR: setting({
    accepts: folder,
    byDefault: '.data',
    means: 'folder of the embedded database; the default is in the project',
  }),
  RUN_MIGRATIONS: setting({
    accepts: oneOf('true', 'false'),
    byDefault: 'true',
    means: 'bring the schema up to date at the start; `false` needs no right to do so',
  }),
  DEMO: setting({
    accepts: oneOf('on', 'off'),
    means:
      'a demonstration set where there is no data; by default on the embedded database only, and not with `NODE_ENV=production`; never with `IDENTITY=jwt`',
  }),
  LOG_LEVEL: setting({
    accepts: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    byDefault: 'info',
    means: 'the least severe lines that are logged',
  }),
  MIRROR_HOST_DENYLIST: setting({
    accepts: hosts,
    byDefault: '',
    means: 'hosts that no mirror may point to, such as `go.example.com,*.example.com`',
  }),
  IDENTITY: setting({
    accepts: oneOf('keys', 'jwt', 'both'),
    byDefault: 'keys',
    means:
      'how callers are known: by access keys, by tokens that an issuer signs (JWT), or by either; with tokens `JWT_ISSUER`, `JWT_AUDIENCE` and `JWT_JWKS_URL` are needed',
  }),
  JWT_ISSUER: setting({
    accepts: claimText,
    means: 'the issuer of the tokens, exactly as in their claim `iss`',
  }),
  JWT_AUDIENCE: setting({
    accepts: claimText,
    means: 'what their claim `aud` must be or contain: this service, as the issuer knows it',
  }),
  JWT_JWKS_URL: setting({
    accepts: keySetUrl,
    means: "the issuer's public keys (JWKS): `https`, or `http` on this machine; redirects are not followed",
  }),
  JWT_ALGORITHMS: setting({
    accepts: tokenAlgorithms,
    byDefault: 'RS256,PS256,ES256,EdDSA',
    means: 'the algorithms with which tokens may be signed',
  }),
  JWT_OWNER_CLAIM: setting({
    accepts: claimText,
    byDefault: 'owner_id',
    means: 'the claim with the number of the owner: a number, or its digits as text',
  }),
  JWT_SUBJECT_CLAIM: setting({
    accepts: claimText,
    byDefault: 'sub',
    means: 'the claim with the name that the history shows and `RATE_LIMIT` counts, at most 200 characters',
  }),
  JWT_CLOCK_TOLERANCE: setting({
    accepts: time('0s', '5m'),
    byDefault: '30s',
    means: "how far the issuer's clock may differ: that long after its expiry a token is still accepted",
  }),
  JWT_KEYS_MAX_AGE: setting({
    accepts: time('1s', '1440m'),
    byDefault: '10m',
    means: 'how long the public keys are used before they are fetched again; a removed key is refused then',
  }),
  JWT_KEYS_STALE_IF_ERROR: setting({
    accepts: time('0s', '1440m'),
    byDefault: '60m',
    means: 'how long after that they are still used if the issuer does not answer; then 503',
  }),
  BODY_LIMIT: setting({
    accepts: wholeNumber(1_024, 1_048_576),
    byDefault: '16384',
    means: 'largest request body, in bytes',
  }),
  DOCS: setting({
    accepts: oneOf('on', 'off'),
    byDefault: 'on',
    means: 'the page at `/docs`, where the call can be tried',
  }),
  CORS_ORIGINS: setting({
    accepts: origins,
    means: 'origins whose pages may call from a browser, such as `https://tools.example`; without it, none',
  }),
  HSTS_SECONDS: setting({
    accepts: wholeNumber(0, 63_072_000),
    byDefault: '0',
    means:
      'how long browsers are to use nothing but https for this host (`Strict-Transport-Security`); 0 leaves that to the proxy',
  }),
  RETRY_AFTER: setting({
    accepts: wholeNumber(1, 3_600),
    byDefault: '1',
    means: 'seconds that a 503 asks the caller to wait',
  }),
  MAX_IN_FLIGHT: setting({
    accepts: wholeNumber(1, 100_000),
    byDefault: '512',
    means: 'requests that a process carries out at once; those beyond it get 503 after a second',
  }),
  MAX_EVENT_LOOP_DELAY: setting({
    accepts: time('10ms', '60s'),
    byDefault: '500ms',
    means: 'how late the event loop of a process may be before it answers 503 to every request',
  }),
  MAX_CONNECTIONS: setting({
    accepts: wholeNumber(1, 1_000_000),
    byDefault: '4096',
    means: 'connections of callers that a process holds open; those beyond it are closed at once',
  }),
  RATE_LIMIT: setting({
    accepts: rate,
    byDefault: 'off',
    means: 'how often each access key, or subject of tokens, may call; calls beyond that get 429',
  }),
  FAILED_KEY_LIMIT: setting({
    accepts: rate,
    byDefault: '600/1m',
    means:
      'how often an address (of IPv6: its /64) may send keys that are refused; those beyond it get 429 instead of 401, a valid key never',
  }),
  RATE_LIMIT_WHEN_AWAY: setting({
    accepts: oneOf('open', 'closed'),
    byDefault: 'open',
    means:
      'what happens if Redis or the primary does not answer: `open` lets the call pass, `closed` answers 503',
  }),
  REDIS_URL: setting({
    accepts: redisUrl,
    secret: true,
    means:
      'a Redis in which several machines count together, such as `redis://host:6379/0`, or `rediss:` with TLS; without it each counts for itself',
  }),
  HEADERS_TIMEOUT: setting({
    accepts: time('10ms', '60m'),
    byDefault: '10s',
    means: 'how long a caller may take to send the headers of a request; then 408',
  }),
  BODY_TIMEOUT: setting({
    accepts: time('10ms', '60m'),
    byDefault: '15s',
    means: 'how long a caller may take to send the body; then 408',
  }),
  REQUEST_TIMEOUT: setting({
    accepts: time('10ms', '60m'),
    byDefault: '30s',
    means:
      'how long a caller may take to send the whole request (then 408), and the service to answer it (then 503)',
  }),
  ANSWER_TIMEOUT: setting({
    accepts: time('10ms', '60m'),
    byDefault: '30s',
    means: 'how long a caller may take to read the answer; then the connection is cut',
  }),
  IDLE_TIMEOUT: setting({
    accepts: time('10ms', '60m'),
    byDefault: '75s',
    means: 'how long a connection may idle between two requests; more than in the proxy in front',
  }),
  READINESS_TIMEOUT: setting({
    accepts: time('10ms', '60s'),
    byDefault: '1s',
    means: 'how long the database may take to answer for `/readyz`',
  }),
  METRICS: setting({
    accepts: oneOf('on', 'off'),
    byDefault: 'on',
    means: 'collect metrics and serve them at `/metrics`',
  }),
  WORKERS: setting({
    accepts: workers,
    byDefault: '1',
    means:
      'processes that serve, under one that watches over them; `auto`: one for each core; 1: one process does it all',
  }),
  SHUTDOWN_DELAY: setting({
    accepts: time('0s', '60m'),
    byDefault: '0s',
    means: 'how long new connections are still served at a shutdown, while `/readyz` already answers 503',
  }),
  SHUTDOWN_TIMEOUT: setting({
    accepts: time('0s', '60m'),
    byDefault: '10s',
    means: 'how long requests may take to finish at a shutdown; unfinished ones get 503',
  }),
  POOL_SIZE: setting({
    accepts: wholeNumber(1, 1_000),
    byDefault: '10',
    means: 'greatest number of database connections; workers share them',
  }),
  POOL_WAIT_TIMEOUT: setting({
    accepts: time('10ms', '60s'),
    byDefault: '3s',
    means: 'how long a request waits for a database connection',
  }),
  STATEMENT_TIMEOUT: setting({
    accepts: time('0ms', '60s'),
    byDefault: '5s',
    means: 'how long a statement may take, enforced by the server; `0ms` leaves the limit to the server',
  }),
  QUERY_TIMEOUT: setting({
    accepts: time('10ms', '120s'),
    byDefault: '6s',
    means: 'how long the service waits for an answer of the database; more than `STATEMENT_TIMEOUT`',
  }),
  DATABASE_POOLER: setting({
    accepts: oneOf('none', 'transaction'),
    byDefault: 'none',
    means:
      '`transaction` behind a pooler such as PgBouncer: no prepared statements, and `STATEMENT_TIMEOUT` is left to the server',
  }),
  CAMPAIGN_MIRROR_KEY: setting({
    accepts: text,
    secret: true,
    means: 'access key that `./campaign-mirror mirror set` does not have to ask for',
  }),
  NODE_ENV: setting({ accepts: text, byDefault: '', means: '`production`: no demonstration set' }),
} as const;

type Table = typeof settings;
export type SettingName = keyof Table;
type Value<Name extends keyof Table> = Table[Name]['accepts'] extends SettingType<infer Read> ? Read : never;

/** The settings in force. Times in milliseconds. */
export type Settings = {
  readonly [Name in keyof Table]: Table[Name] extends { byDefault: string }
    ? Value<Name>
    : Value<Name> | undefined;
};
