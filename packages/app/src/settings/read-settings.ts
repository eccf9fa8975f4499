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

/** Reads the settings, and secrets from their files. An empty variable counts as unset; white space is a value. */
export function readSettings(environment: NodeJS.ProcessEnv): ReadSettings {
  const texts = new Map<SettingName, string>();
  try {
    addEnvironmentFile(environment);
    for (const name of Object.keys(settings) as SettingName[]) {
      const text = textIn(environment, name);
      if (text) texts.set(name, text);
    }
  } catch (error) {
    return { wrong: [withoutSecrets((error as Error).message)] };
  }
  const lineOf = (issue: v.BaseIssue<unknown>) => {
    const name = v.getDotPath(issue) as SettingName;
    const not = `, not ${JSON.stringify(withoutSecrets(texts.get(name) ?? ''))}`;
    return `${name} must be ${issue.message}${settings[name].secret ? '' : not}`;
  };
  const { success, output, issues } = v.safeParse(settingsSchema, Object.fromEntries(texts));
  const wrong = success ? contradictions(output) : issues.map(lineOf);
  if (!success || wrong.length > 0) return { wrong };
  const changed: Record<string, string> = {};
  for (const [name, text] of texts)
    if (text !== settings[name].byDefault)
      changed[name] = settings[name].secret ? '(set)' : withoutSecrets(text);
  return { settings: output, changed };
}

/** @throws Error if the file of a secret cannot be used */
function textIn(environment: NodeJS.ProcessEnv, name: SettingName): string | undefined {
  const text = environment[name];
  const file = settings[name].secret && environment[`${name}_FILE`];
  if (!file) return text;
  try {
    if (text) throw new Error(`${name} is set too: leave one of them out`);
    return onlyLine(file);
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
