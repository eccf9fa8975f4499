import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { externalDatabase, isExternal } from './external-database.ts';
import { type SettingName, type Settings, settings } from './settings.ts';

/** Settings that are valid individually, but not together: one line each, without a secret. */
export function contradictions(read: Settings): string[] {
  const { HOST, PORT, OPS_HOST, OPS_PORT, REUSE_PORT, IDENTITY } = read;
  const lines: string[] = [];
  if (PORT !== 0 && PORT === OPS_PORT && HOST === OPS_HOST)
    lines.push(`PORT and OPS_PORT must differ, both are ${PORT}`);
  if (REUSE_PORT === 'on' && PORT === 0)
    lines.push('REUSE_PORT=on needs a PORT: with 0 each process takes another');
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const) {
    if (IDENTITY !== 'keys' && !read[name]) lines.push(`IDENTITY=${IDENTITY} needs ${name}`);
  }
  try {
    if (isExternal(read)) externalDatabase(read);
  } catch (error) {
    lines.push((error as Error).message);
  }
  return lines;
}

const names = Object.keys(settings) as SettingName[];

/** Values that are valid, but may be mistakes: one line each, without a value. */
export function settingsNotes(environment: NodeJS.ProcessEnv, read: Settings): string[] {
  // Only secrets are read from files.
  const files = names.filter((name) => !settings[name].secret && environment[`${name}_FILE`]);
  return [
    ...misspelt(Object.keys(environment)),
    ...files.map((name) => `${name}_FILE is not read: set ${name} itself`),
    ...withoutEffect(environment, read),
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

/** Variables that differ from a setting by a slip, or by lower case. */
function misspelt(variables: readonly string[]): string[] {
  const settingVariables = names.flatMap((name) => (settings[name].secret ? [name, `${name}_FILE`] : [name]));
  const ours = [...settingVariables, 'ENVIRONMENT_FILE'];
  return variables.flatMap((variable) => {
    if (ours.includes(variable)) return [];
    const meant = ours.find((name) => isSlip(variable.toUpperCase(), name));
    return meant ? [`${variable} is not a setting: did you mean ${meant}?`] : [];
  });
}

/** Whether one letter is missing, added, replaced or swapped; in a short name not the first one, as in COST for HOST. */
function isSlip(name: string, meant: string): boolean {
  let at = 0;
  while (at < name.length && name[at] === meant[at]) at++;
  if (at === 0 && meant.length <= 8) return false;
  const [rest, other] = [name.slice(at), meant.slice(at)];
  const swapped = rest.replace(/^(.)(.)/, '$2$1');
  return [rest.slice(1), swapped].includes(other) || [rest, rest.slice(1)].includes(other.slice(1));
}

/** Settings that have no effect because of other settings. */
function withoutEffect(environment: NodeJS.ProcessEnv, read: Settings): string[] {
  const { DATABASE_URL, PGHOST, IDENTITY } = read;
  const notes: string[] = [];
  if (DATABASE_URL && PGHOST) notes.push('PGHOST is used only if DATABASE_URL names no host');
  // PGSERVICE and PGHOSTADDR are not settings, but whoever sets them means a database of their own too.
  const ofDatabase = [...names.filter((name) => name.startsWith('PG')), 'PGSERVICE', 'PGHOSTADDR'];
  const unused = ofDatabase.filter((name) => environment[name]);
  if (!DATABASE_URL && !PGHOST && unused.length > 0) {
    notes.push(`the embedded database is used, not ${unused.join(', ')}: set PGHOST to use yours`);
  }
  const hasTokens = read.JWT_ISSUER || read.JWT_AUDIENCE || read.JWT_JWKS_URL;
  if (IDENTITY === 'keys' && hasTokens) {
    notes.push('JWT_* settings are not used: set IDENTITY to jwt or both');
  }
  return notes;
}
