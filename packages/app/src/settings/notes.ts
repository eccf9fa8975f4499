import { type SettingName, type Settings, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const names = Object.keys(settings) as SettingName[];

/** Values that are valid, but may be mistakes: one line each, without a value. */
export function settingsNotes(environment: Environment, read: Settings): string[] {
  const removed = Object.entries(removedSettings).filter(([name]) => environment[name]);
  // Only secrets are read from files.
  const files = names.filter((name) => !settings[name].secret && environment[`${name}_FILE`]);
  return [
    ...removed.map(([name, instead]) => `${name} is no longer a setting: ${instead}`),
    ...misspelt(Object.keys(environment)),
    ...files.map((name) => `${name}_FILE is not read: set ${name} itself`),
    ...unused(read),
  ];
}

/** Former settings, and what holds instead. Not NODE_ENV, which has other readers. */
const removedSettings: Readonly<Record<string, string>> = {
  WORKERS: 'start one process per core with REUSE_PORT=on, see docs/how-to/deploy-with-systemd.md',
  METRICS: 'metrics are always collected',
  BODY_LIMIT: 'a body may have 16384 bytes',
  HSTS_SECONDS: 'let the TLS proxy send Strict-Transport-Security',
  MAX_CONNECTIONS: 'it is 4096',
  JWT_ALGORITHMS: 'every asymmetric algorithm is accepted',
  JWT_CLOCK_TOLERANCE: 'it is 30 s',
  JWT_KEYS_MAX_AGE: 'it is 10 minutes',
  JWT_KEYS_STALE_IF_ERROR: 'it is 60 minutes',
  HEADERS_TIMEOUT: 'it is 10 s',
  REQUEST_TIMEOUT: 'it is 30 s',
  ANSWER_TIMEOUT: 'it is 30 s',
  READINESS_TIMEOUT: 'it is 1 s',
  POOL_WAIT_TIMEOUT: 'it is 3 s',
  QUERY_TIMEOUT: 'it is a second more than STATEMENT_TIMEOUT',
  RATE_LIMIT_WHEN_AWAY: 'calls pass while Redis does not answer',
};

/** Names of other variables resemble short ones of ours, as HOME and ES_PORT do: fewer slips make those a misspelling. */
const isLikely = (name: string, meant: string, slips: number) =>
  isNear(name, meant, slips) &&
  (meant.length > 8 || name[0] === meant[0]) &&
  (meant.length > 6 || slips === 1);

function misspelt(variables: readonly string[]): string[] {
  const known = names.flatMap((name) => (settings[name].secret ? [name, `${name}_FILE`] : [name]));
  const others = variables.filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name));
  return others.flatMap((name) => {
    if (known.includes(name) || name in removedSettings) return [];
    const meant = known.find((one) => isLikely(name, one, 1)) ?? known.find((one) => isLikely(name, one, 2));
    return meant ? [`${name} is no setting: did you mean ${meant}?`] : [];
  });
}

/** Whether at most `slips` letters must be left out, put in, replaced or swapped with the next to make one the other. */
function isNear(one: string, other: string, slips: number): boolean {
  if (one === other || slips === 0) return one === other;
  let at = 0;
  while (one[at] === other[at]) at++;
  const near = (left: number, right: number) =>
    isNear(one.slice(at + left), other.slice(at + right), slips - 1);
  const isSwap = one[at] === other[at + 1] && one[at + 1] === other[at];
  return near(1, 0) || near(0, 1) || near(1, 1) || (isSwap && near(2, 2));
}

const siblings = ['PGPORT', 'PGUSER', 'PGPASSWORD', 'PGDATABASE', 'PGSSLMODE', 'PGSSLROOTCERT'] as const;

/** Settings that others keep from having an effect. */
function unused(read: Settings): string[] {
  const found: string[] = [];
  const { DATABASE_URL, PGHOST, IDENTITY } = read;
  const given = siblings.filter((name) => read[name] !== undefined);
  if (DATABASE_URL && PGHOST) {
    found.push('DATABASE_URL and PGHOST are both set: PGHOST is used only where the URL names no host');
  }
  if (!DATABASE_URL && !PGHOST && given.length > 0) {
    found.push(`the embedded database is used, not ${given.join(', ')}: set PGHOST to use yours`);
  }
  if (read.REDIS_URL && !read.RATE_LIMIT && !read.FAILED_KEY_LIMIT) {
    found.push('REDIS_URL is not used: RATE_LIMIT and FAILED_KEY_LIMIT are off');
  }
  if (IDENTITY === 'keys' && (read.JWT_ISSUER || read.JWT_AUDIENCE || read.JWT_JWKS_URL)) {
    found.push('no token is accepted, although JWT_* settings are given: set IDENTITY to jwt or both');
  }
  return found;
}
