import { type SettingName, type Settings, settings } from './settings.ts';

const names = Object.keys(settings) as SettingName[];

/** Values that are valid, but may be mistakes: one line each, without a value. */
export function settingsNotes(environment: NodeJS.ProcessEnv, read: Settings): string[] {
  // Only secrets are read from files.
  const files = names.filter((name) => !settings[name].secret && environment[`${name}_FILE`]);
  return [
    ...misspelt(Object.keys(environment)),
    ...files.map((name) => `${name}_FILE is not read: set ${name} itself`),
    ...unused(read),
  ];
}

function misspelt(variables: readonly string[]): string[] {
  const known = names.flatMap((name) => (settings[name].secret ? [name, `${name}_FILE`] : [name]));
  return variables.flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = known.find((one) => isSlip(name, one));
    return meant ? [`${name} is not a setting: did you mean ${meant}?`] : [];
  });
}

/** Whether one letter is missing, added, replaced or swapped; not the first of a short name, as in COST. */
function isSlip(name: string, meant: string): boolean {
  let at = 0;
  while (name[at] === meant[at]) at++;
  if (at === 0 && meant.length <= 8) return false;
  const [rest, other] = [name.slice(at), meant.slice(at)];
  const swapped = rest.replace(/^(.)(.)/, '$2$1');
  return [rest.slice(1), swapped].includes(other) || [rest, rest.slice(1)].includes(other.slice(1));
}

/** Settings that others keep from having an effect. */
function unused(read: Settings): string[] {
  const { DATABASE_URL, PGHOST, IDENTITY, REDIS_URL, RATE_LIMIT, FAILED_KEY_LIMIT } = read;
  const others = names.filter((name) => name.startsWith('PG') && read[name] !== undefined);
  const isEmbedded = !DATABASE_URL && !PGHOST && others.length > 0;
  const hasTokens = read.JWT_ISSUER || read.JWT_AUDIENCE || read.JWT_JWKS_URL;
  const all = [
    DATABASE_URL && PGHOST && 'PGHOST is used only where DATABASE_URL names no host',
    isEmbedded && `the embedded database is used, not ${others.join(', ')}: set PGHOST to use yours`,
    REDIS_URL && !RATE_LIMIT && !FAILED_KEY_LIMIT && 'REDIS_URL is not used: both limits are off',
    IDENTITY === 'keys' && hasTokens && 'JWT_* settings are not used: set IDENTITY to jwt or both',
  ];
  return all.filter((note) => typeof note === 'string');
}
