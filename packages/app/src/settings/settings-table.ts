import * as v from 'valibot';
import * as is from './setting-types.ts';

/** A setting: its type, its default as text, and its meaning for the documents. */
const setting = <Value, Default extends string | undefined = undefined>(
  type: is.SettingType<Value>,
  byDefault?: Default,
) => ({
  means: (means: string) => v.optional(v.pipe(type, v.metadata({ means })), byDefault as Default),
});
const secret = <Value>(type: is.SettingType<Value>) => setting(v.pipe(type, v.metadata({ secret: true })));

const onOrOff = is.oneOf('on', 'off');
const logLevel = is.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent');
const text = is.matching('text');
const address = is.matching('an IP address or a host name', /^[^\s\p{Cc}]+$/u);
const databaseHost = is.matching(
  'one host name, IP address, or the folder of a socket',
  /^(?:\/[^\p{Cc},]*|[^\s\p{Cc},/]+)$/u,
);
/** The name or the value of a claim. No white space: claims are compared byte for byte. */
const claimText = is.matching('text without white space', /^[^\s\p{Cc}]{1,256}$/u);

/** Every setting, in the order of the reference. All are environment variables, and optional. */
export const settingsSchema = v.object({
  HOST: setting(address, '127.0.0.1').means('address that the service listens on'),
  PORT: setting(is.wholeNumber(0, 65_535), '3000').means('its port; 0: a free one, which the log shows'),
  REUSE_PORT: setting(onOrOff, 'off').means('several processes may listen on `PORT` (SO_REUSEPORT)'),
  OPS_HOST: setting(address, '127.0.0.1').means('address of the listener for operators and their page'),
  OPS_PORT: setting(is.wholeNumber(0, 65_535), '3001').means('port of that listener; 0: a free one'),
  OPS_NAMES: setting(is.names).means('more names of that listener; a request to another name gets 421'),
  TRUSTED_PROXIES: setting(is.proxies).means('TLS proxies in front, which report the client address'),
  IDLE_TIMEOUT: setting(is.time('10ms', '60m'), '75s').means(
    'how long a connection may be idle between two requests; must be longer than in the proxy in front',
  ),
  CORS_ORIGINS: setting(is.origins).means('origins whose pages may call from a browser; none by default'),
  DOCS: setting(onOrOff, 'on').means('the page at `/docs`, where the call can be tried'),
  DATABASE_URL: secret(is.databaseUrl).means('your PostgreSQL, 15 to 18; otherwise an embedded one is used'),
  PGHOST: setting(databaseHost).means('another way to name the database, if `DATABASE_URL` names no host'),
  PGPASSWORD: secret(text).means('password for the database, if `DATABASE_URL` has none'),
  DATABASE_WAIT: setting(is.time('0s', '60m'), '10s').means('how long a start waits for the database'),
  DATA_DIR: setting(is.matching('a folder'), '.data').means('folder of the embedded database'),
  RUN_MIGRATIONS: setting(is.oneOf('true', 'false'), 'true').means('whether the start migrates the schema'),
  POOL_SIZE: setting(is.wholeNumber(1, 1_000), '10').means('database connections of a process, at most'),
  STATEMENT_TIMEOUT: setting(is.time('0ms', '60s'), '5s').means(
    'how long a statement may take; `0ms`: as the server says, and the service waits 6 s at most',
  ),
  DATABASE_POOLER: setting(is.oneOf('none', 'transaction'), 'none').means(
    '`transaction` behind a pooler such as PgBouncer: the server sets the time limit of statements',
  ),
  IDENTITY: setting(is.oneOf('keys', 'jwt', 'both'), 'keys').means(
    'how callers are identified: by access keys, by signed tokens, which need `JWT_…`, or by either',
  ),
  JWT_ISSUER: setting(claimText).means('the issuer of the tokens, exactly as in their claim `iss`'),
  JWT_AUDIENCE: setting(claimText).means('the value that their claim `aud` must be or contain'),
  JWT_JWKS_URL: setting(is.keySetUrl).means("the issuer's public keys (JWKS); redirects are not followed"),
  JWT_OWNER_CLAIM: setting(claimText, 'owner_id').means('the claim with the number of the owner'),
  JWT_SUBJECT_CLAIM: setting(claimText, 'sub').means(
    'the claim with the name that the history shows and `RATE_LIMIT` counts, up to 200 characters',
  ),
  JWT_HOSTS_CLAIM: setting(claimText).means(
    'the claim with the only hosts that a token may set, an array or one text; each token must have it',
  ),
  MIRROR_HOST_DENYLIST: setting(is.hosts, '').means('hosts that no mirror may point to; for commands, too'),
  RATE_LIMIT: setting(is.rate, 'off').means('how often a key, or a subject of tokens, may call a process'),
  FAILED_KEY_LIMIT: setting(is.rate, '600/1m').means('the same for refused keys, by address (IPv6: its /64)'),
  MAX_IN_FLIGHT: setting(is.wholeNumber(1, 100_000), '512').means('requests at a time; others get 503'),
  LOG_LEVEL: setting(logLevel, 'info').means('the lowest level that is logged'),
  SHUTDOWN_DELAY: setting(is.time('0s', '60m'), '0s').means('how long a shutdown serves new connections'),
  SHUTDOWN_TIMEOUT: setting(is.time('0s', '60m'), '10s').means('how long a shutdown waits for requests'),
  DEMO: setting(onOrOff).means(
    'create a demonstration set if there is no data; on by default if embedded; never with `IDENTITY=jwt`',
  ),
  CAMPAIGN_MIRROR_KEY: secret(text).means('access key for `campaign-mirror mirror set`; otherwise it asks'),
});

/** The values of the settings. Times in milliseconds. */
export type Settings = Readonly<v.InferOutput<typeof settingsSchema>>;
export type SettingName = keyof Settings;

export interface Setting extends Readonly<Record<'means' | 'accepts', string>> {
  /** Its value is never shown. */
  readonly secret?: true;
  /** As written in the environment; undefined for an optional setting without a default. */
  readonly byDefault?: string;
}

export const settings = Object.fromEntries(
  Object.entries(settingsSchema.entries).map(([name, entry]) => [
    name,
    { ...v.getMetadata(entry.wrapped), byDefault: v.getDefault(entry) },
  ]),
) as Readonly<Record<SettingName, Setting>>;
