import { readFileSync, statSync } from 'node:fs';
import { type Call, ClearError, printable } from '@campaign-mirror/adapters-cli/terminal';
import * as v from 'valibot';
import { withoutSecrets } from '../logging/error-fields.ts';
import { addEnvironmentFile } from './environment.ts';
import { externalDatabase, isExternal } from './external-database.ts';
import { type Setting, type SettingName, type Settings, schema, settings } from './settings.ts';

export type ReadSettings =
  | {
      readonly settings: Settings;
      /** Those that differ from their defaults, as the log and `doctor` show them. */
      readonly changed: Readonly<Record<string, string>>;
    }
  | {
      /** A line for each wrong value: its name and what is accepted, never a secret. */
      readonly wrong: readonly string[];
    };

/** The text of a setting, if it is set, and the file that holds it, if it is a secret in a file. */
interface Given {
  readonly text?: string | undefined;
  readonly file?: string;
}

/**
 * Reads the settings from the environment, to which the variables of its ENVIRONMENT_FILE are added, and secrets from
 * the files that it names. An empty variable counts as unset; white space is a value.
 */
export function readSettings(environment: NodeJS.ProcessEnv): ReadSettings {
  try {
    addEnvironmentFile(environment);
  } catch (error) {
    return { wrong: [(error as Error).message] };
  }
  const wrong: string[] = [];
  const entries = (Object.keys(settings) as SettingName[]).map((name): [SettingName, Given] => {
    try {
      return [name, givenIn(environment, name)];
    } catch (error) {
      wrong.push(`${name}_FILE: ${withoutSecrets((error as Error).message)}`);
      return [name, {}];
    }
  });
  const given = Object.fromEntries(entries) as Record<SettingName, Given>;
  const texts = Object.fromEntries(entries.map(([name, { text }]) => [name, text]));
  const { success, output, issues = [] } = v.safeParse(schema, texts);
  for (const issue of issues) {
    const name = v.getDotPath(issue) as SettingName;
    const { text, file } = given[name];
    const subject = file ? `${name} (in ${file})` : name;
    const value = settings[name].secret ? '' : `, not ${JSON.stringify(withoutSecrets(text ?? ''))}`;
    wrong.push(`${subject} must be ${issue.message}${value}`);
  }
  if (success && wrong.length === 0) wrong.push(...contradictions(output));
  if (!success || wrong.length > 0) return { wrong };
  return { settings: output, changed: changedOf(entries) };
}

/** @throws Error when the file of a secret cannot be used */
function givenIn(environment: NodeJS.ProcessEnv, name: SettingName): Given {
  const text = environment[name] || undefined;
  const file = settings[name].secret && environment[`${name}_FILE`];
  if (!file) return { text };
  if (text) throw new Error(`${name} is set too: leave one of them out`);
  return { text: onlyLine(file), file };
}

/** The line in the file, without the line break at its end. Only a file is opened: opening a pipe would wait. @throws Error */
function onlyLine(file: string): string {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, '');
  if (!/^[^\0\r\n]+$/.test(text)) throw new Error(`${file} must hold one line`);
  return text;
}

/** As they were written; of a secret only that it is set, or the file that holds it. */
function changedOf(entries: readonly [SettingName, Given][]): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const [name, { text, file }] of entries) {
    const { secret, byDefault }: Setting = settings[name];
    if (text === undefined || text === byDefault) continue;
    if (secret) changed[name] = file ? `(in ${file})` : '(set)';
    else changed[name] = withoutSecrets(text);
  }
  return changed;
}

/** Settings that are valid individually, but not together: one line each, without a secret. */
function contradictions(read: Settings): string[] {
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

/** Read once: files that they name may be pipes. */
const ofCalls = new WeakMap<Call, Settings>();

/** The settings of a command. @throws ClearError when a setting is wrong */
export function readCommandSettings(call: Call): Settings {
  const known = ofCalls.get(call);
  if (known) return known;
  const read = readSettings(call.environment);
  if ('wrong' in read) throw new ClearError(read.wrong.map(printable).join('\n'), 'usage');
  ofCalls.set(call, read.settings);
  return read.settings;
}
