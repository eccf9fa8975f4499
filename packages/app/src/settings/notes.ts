import { databaseUrlParts } from './database-url.ts';
import { misspelt } from './misspelt.ts';
import { type Setting, type SettingName, type Settings, settings } from './settings.ts';
import { traceVariables } from './trace-variables.ts';
import { wantedEach, workerShare } from './worker-count.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const siblings = ['PGPORT', 'PGUSER', 'PGPASSWORD', 'PGDATABASE', 'PGSSLMODE', 'PGSSLROOTCERT'] as const;

/** Values that are valid, but may be mistakes: one line each, without a value. */
export function settingsNotes(environment: Environment, read: Settings): string[] {
  return [
    ...removed(environment),
    ...spelling(environment),
    ...files(environment),
    ...database(read),
    ...limits(read),
    ...tokens(read),
    ...workers(read),
    ...traceVariables(environment).notes,
  ];
}

/** Former settings, and why they were removed. */
const removedSettings: Readonly<Record<string, string>> = {
  BODY_TIMEOUT: 'REQUEST_TIMEOUT limits the whole request',
  RETRY_AFTER: 'a 503 asks the caller to wait for a second',
  KEY_CACHE_SECONDS: 'each update proves its key itself, so nothing needs to be cached',
  NAMED_STATEMENTS: 'DATABASE_POOLER=transaction is for a pooler that keeps no prepared statements',
  GROUP_COMMIT: 'updates always share commits',
};

function removed(environment: Environment): string[] {
  return Object.entries(removedSettings)
    .filter(([name]) => environment[name])
    .map(([name, because]) => `${name} is no longer a setting: ${because}; remove it`);
}

function spelling(environment: Environment): string[] {
  const known = Object.entries<Setting>(settings).flatMap(([name, { secret }]) =>
    secret ? [name, `${name}_FILE`] : [name],
  );
  return misspelt(Object.keys(environment), known).map(
    ({ name, meant }) => `${name} is no setting: did you mean ${meant}?`,
  );
}

/** Only secrets are read from files. */
function files(environment: Environment): string[] {
  return Object.entries<Setting>(settings)
    .filter(([name, { secret }]) => !secret && environment[`${name}_FILE`])
    .map(([name]) => `${name}_FILE is not read: set ${name} itself`);
}

function database(read: Settings): string[] {
  const { DATABASE_URL, PGHOST } = read;
  if (DATABASE_URL === undefined && PGHOST === undefined) {
    const given = siblings.filter((name: SettingName) => read[name] !== undefined);
    if (given.length === 0) return [];
    const are = given.length === 1 ? 'is' : 'are';
    return [`${given.join(', ')} ${are} not used, and the embedded database is: set PGHOST to use yours`];
  }
  const isNamedTwice =
    DATABASE_URL !== undefined && PGHOST !== undefined && databaseUrlParts(DATABASE_URL)?.host !== undefined;
  return isNamedTwice ? ['DATABASE_URL and PGHOST are both set: DATABASE_URL is used'] : [];
}

function workers({ WORKERS, POOL_SIZE }: Settings): string[] {
  if (WORKERS === 'auto' || WORKERS === 1) return [];
  const { poolSize } = workerShare(WORKERS, WORKERS, POOL_SIZE);
  if (poolSize >= wantedEach) return [];
  const enough = wantedEach * (WORKERS + 1);
  return [
    `POOL_SIZE=${POOL_SIZE} leaves one connection to each of ${WORKERS} workers, and a campaign that somebody holds takes it: raise POOL_SIZE to ${enough}`,
  ];
}

function limits({ REDIS_URL, RATE_LIMIT, FAILED_KEY_LIMIT }: Settings): string[] {
  if (!REDIS_URL || RATE_LIMIT || FAILED_KEY_LIMIT) return [];
  return ['REDIS_URL is not used: RATE_LIMIT and FAILED_KEY_LIMIT are off'];
}

function tokens({ IDENTITY, JWT_ISSUER, JWT_AUDIENCE, JWT_JWKS_URL }: Settings): string[] {
  const given = JWT_ISSUER ?? JWT_AUDIENCE ?? JWT_JWKS_URL;
  if (IDENTITY !== 'keys' || given === undefined) return [];
  return ['no token is accepted, although JWT_* settings are given: set IDENTITY to jwt or both'];
}
