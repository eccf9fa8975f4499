import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { externalDatabase, isExternal } from './external-database.ts';
import { type SettingName, type Settings, settings } from './settings.ts';

/** What is wrong, in one line that shows no secret, and the settings concerned. */
export interface Mistake {
  readonly about: SettingName[];
  readonly line: string;
}

/** Settings that are valid individually, but not together. */
export function contradictions(read: Settings): Mistake[] {
  const { HOST, PORT, OPS_HOST, OPS_PORT, REUSE_PORT, IDENTITY } = read;
  const found: Mistake[] = [];
  const refuse = (line: string, ...about: SettingName[]) => found.push({ about, line });
  if (PORT !== 0 && PORT === OPS_PORT && HOST === OPS_HOST) {
    refuse(`PORT and OPS_PORT must differ, both are ${PORT}`, 'PORT', 'OPS_PORT');
  }
  if (REUSE_PORT === 'on' && PORT === 0) {
    refuse('REUSE_PORT=on needs a PORT: with 0 each process takes another', 'REUSE_PORT', 'PORT');
  }
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const) {
    if (IDENTITY !== 'keys' && !read[name]) refuse(`IDENTITY=${IDENTITY} needs ${name}`, name, 'IDENTITY');
  }
  try {
    if (isExternal(read)) externalDatabase(read);
  } catch (error) {
    refuse((error as Error).message, 'DATABASE_URL', 'PGHOST', 'PGSSLMODE', 'PGSSLROOTCERT');
  }
  return found;
}

const names = Object.keys(settings) as SettingName[];

/** Values that are valid, but may be mistakes: one line each, without a value. */
export function settingsNotes(environment: NodeJS.ProcessEnv, read: Settings): string[] {
  // Only secrets are read from files.
  const files = names.filter((name) => !settings[name].secret && environment[`${name}_FILE`]);
  return [
    ...misspelt(Object.keys(environment)),
    ...files.map((name) => `${name}_FILE is not read: set ${name} itself`),
    ...unused(environment, read),
    ...unreadFile(environment),
  ];
}

/** Other programs read a file of this name by themselves: in the working directory, or beside the program. */
const envFiles = ['.env', fileURLToPath(new URL('../../../../.env', import.meta.url))];

function unreadFile(environment: NodeJS.ProcessEnv): string[] {
  if (environment.ENVIRONMENT_FILE) return [];
  for (const file of envFiles) {
    const unset = variablesIn(file).filter(
      (name) => name.replace(/_FILE$/, '') in settings && !environment[name],
    );
    if (unset.length > 0) {
      return [
        `${file} is not read, and so ${unset.join(', ')} is not set: to have it read, set ENVIRONMENT_FILE=${file}`,
      ];
    }
  }
  return [];
}

/** The variables that the file sets; none if it cannot be read. Reading a pipe would wait. */
function variablesIn(file: string): string[] {
  try {
    if (!statSync(file).isFile()) return [];
    const variables = Object.entries(parseEnv(readFileSync(file, 'utf8')));
    return variables.filter(([, value]) => value).map(([name]) => name);
  } catch {
    return [];
  }
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
function unused(environment: NodeJS.ProcessEnv, read: Settings): string[] {
  const { DATABASE_URL, PGHOST, IDENTITY, REDIS_URL, RATE_LIMIT, FAILED_KEY_LIMIT } = read;
  // Whoever sets the last two means a database of theirs, too.
  const ofDatabase = [...names.filter((name) => name.startsWith('PG')), 'PGSERVICE', 'PGHOSTADDR'];
  const others = ofDatabase.filter((name) => environment[name]);
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
