import { statSync } from 'node:fs';
import { type Call, ClearError, printable } from '@campaign-mirror/adapters-cli/terminal';
import * as v from 'valibot';
import { withoutSecrets } from '../logging/log-events.ts';
import { addEnvironmentFile, textOf } from './environment.ts';
import { externalDatabase, isExternal } from './external-database.ts';
import { type SettingName, type Settings, settings, settingsSchema } from './settings-table.ts';

export type ReadSettings =
  /** `changed`: the settings that differ from their defaults, as the log and `doctor` show them. */
  | { readonly settings: Settings; readonly changed: Readonly<Record<string, string>> }
  /** A line for each wrong value: the name and the accepted values, never a secret. */
  | { readonly wrong: readonly string[] };

/** A value, how messages name its setting, and how it is shown: for a secret only `(set)`, or its file. */
type Given = Readonly<Record<'text' | 'subject' | 'shown', string>>;

/** Reads the settings, and secrets from their files. An empty variable counts as unset; white space is a value. */
export function readSettings(environment: NodeJS.ProcessEnv): ReadSettings {
  const given = new Map<SettingName, Given>();
  try {
    addEnvironmentFile(environment);
    for (const name of Object.keys(settings) as SettingName[]) {
      const one = givenIn(environment, name);
      if (one) given.set(name, one);
    }
  } catch (error) {
    return { wrong: [withoutSecrets((error as Error).message)] };
  }
  const texts = Object.fromEntries(Array.from(given, ([name, { text }]) => [name, text]));
  const lineOf = (issue: v.BaseIssue<unknown>) => {
    const name = v.getDotPath(issue) as SettingName;
    const { subject, shown } = given.get(name) as Given;
    return `${subject} must be ${issue.message}${settings[name].secret ? '' : `, not ${JSON.stringify(shown)}`}`;
  };
  const { success, output, issues } = v.safeParse(settingsSchema, texts);
  const wrong = success ? contradictions(output) : issues.map(lineOf);
  if (!success || wrong.length > 0) return { wrong };
  const changed = [...given].filter(([name, { text }]) => text !== settings[name].byDefault);
  return { settings: output, changed: Object.fromEntries(changed.map(([name, { shown }]) => [name, shown])) };
}

/** @throws Error if the file of a secret cannot be used */
function givenIn(environment: NodeJS.ProcessEnv, name: SettingName): Given | undefined {
  const text = environment[name];
  const { secret } = settings[name];
  const file = secret && environment[`${name}_FILE`];
  if (!file)
    return text ? { text, subject: name, shown: secret ? '(set)' : withoutSecrets(text) } : undefined;
  try {
    if (text) throw new Error(`${name} is set too: leave one of them out`);
    return { text: onlyLine(file), subject: `${name} (in ${file})`, shown: `(in ${file})` };
  } catch (error) {
    throw new Error(`${name}_FILE: ${(error as Error).message}`);
  }
}

/** The only line of a file, without its line break. A pipe is refused: opening it would wait. @throws Error */
function onlyLine(file: string): string {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  const text = textOf(file).replace(/\r?\n$/, '');
  if (!/^[^\r\n]+$/.test(text)) throw new Error(`${file} must hold one line`);
  return text;
}

/** Settings that are valid alone, but not together: one line each, without a secret. */
function contradictions(read: Settings): string[] {
  const { HOST, PORT, OPS_HOST, OPS_PORT, REUSE_PORT, IDENTITY } = read;
  const lines: string[] = [];
  if (PORT !== 0 && PORT === OPS_PORT && HOST === OPS_HOST)
    lines.push(`PORT and OPS_PORT must differ, both are ${PORT}`);
  if (REUSE_PORT === 'on' && PORT === 0)
    lines.push('REUSE_PORT=on needs a PORT: with 0 each process takes another');
  for (const name of ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'] as const)
    if (IDENTITY !== 'keys' && !read[name]) lines.push(`IDENTITY=${IDENTITY} needs ${name}`);
  try {
    if (isExternal(read)) externalDatabase(read);
  } catch (error) {
    lines.push((error as Error).message);
  }
  return lines;
}

/** The settings of a command. @throws ClearError if a setting is wrong */
export function readCommandSettings({ environment }: Call): Settings {
  const read = readSettings(environment);
  if ('wrong' in read) throw new ClearError(read.wrong.map(printable).join('\n'), 'usage');
  return read.settings;
}
