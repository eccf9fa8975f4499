import { readFileSync, statSync } from 'node:fs';
import { type Call, ClearError, printable } from '@campaign-mirror/adapters-cli/terminal';
import * as v from 'valibot';
import { withoutSecrets } from '../logging/error-fields.ts';
import { addEnvironmentFile } from './environment.ts';
import { contradictions, settingsNotes } from './notes.ts';
import { type SettingName, type Settings, schema, settings } from './settings.ts';

/** The text of a setting, and where it comes from; `unset` without a value and a default. */
export interface Origin {
  readonly text: string | undefined;
  readonly from: 'environment' | 'file' | 'default' | 'unset';
  readonly file?: string;
}

export type Origins = Readonly<Record<SettingName, Origin>>;

export type ReadSettings =
  | {
      readonly settings: Settings;
      readonly origins: Origins;
      /** Values that are valid, but may be mistakes, one line each: to be reported once. */
      readonly notes: readonly string[];
    }
  | {
      /** A line for each wrong value: its name and what is accepted, never a secret. */
      readonly wrong: readonly string[];
    };

/**
 * Reads the settings from the environment and its ENVIRONMENT_FILE, and secrets from the files that these name. An empty
 * variable counts as unset; white space is a value.
 */
export function readSettings(given: NodeJS.ProcessEnv): ReadSettings {
  const environment = { ...given };
  try {
    addEnvironmentFile(environment);
  } catch (error) {
    return { wrong: [(error as Error).message] };
  }
  const wrong: string[] = [];
  const entries = (Object.keys(settings) as SettingName[]).map((name): [SettingName, Origin] => {
    try {
      return [name, originOf(environment, name)];
    } catch (error) {
      wrong.push(`${name}_FILE: ${withoutSecrets((error as Error).message)}`);
      return [name, { text: undefined, from: 'unset' }];
    }
  });
  const origins = Object.fromEntries(entries) as Origins;
  const texts = Object.fromEntries(entries.map(([name, { text }]) => [name, text]));
  const { success, output, issues = [] } = v.safeParse(schema, texts);
  for (const issue of issues) {
    const name = v.getDotPath(issue) as SettingName;
    const { text, file } = origins[name];
    const subject = file ? `${name} (in ${file})` : name;
    const value = settings[name].secret ? '' : `, not ${JSON.stringify(withoutSecrets(text ?? ''))}`;
    wrong.push(`${subject} must be ${issue.message}${value}`);
  }
  if (success && wrong.length === 0) wrong.push(...contradictions(output));
  if (!success || wrong.length > 0) return { wrong };
  return { settings: output, origins, notes: settingsNotes(environment, output) };
}

/** @throws Error when the file of a secret cannot be used */
function originOf(environment: NodeJS.ProcessEnv, name: SettingName): Origin {
  const { byDefault, secret } = settings[name];
  const text = environment[name] || undefined;
  const file = secret && environment[`${name}_FILE`];
  if (file && text) throw new Error(`${name} is set too: leave one of them out`);
  if (file) return { text: onlyLine(file), from: 'file', file };
  if (text) return { text, from: 'environment' };
  return { text: byDefault, from: byDefault === undefined ? 'unset' : 'default' };
}

/** The line in the file, without the line break at its end. Only a file is opened: opening a pipe would wait. @throws Error */
function onlyLine(file: string): string {
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`);
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file)).replace(/\r?\n$/, '');
  if (!/^[^\0\r\n]+$/.test(text)) throw new Error(`${file} must hold one line`);
  return text;
}

type CommandSettings = Exclude<ReadSettings, { wrong: unknown }>;

/** Read once: files that they name may be pipes. */
const ofCalls = new WeakMap<Call, CommandSettings>();

/** The settings of a command. Reports likely mistakes, once per call. @throws ClearError when a setting is wrong */
export function readCommandSettings(call: Call): CommandSettings {
  const known = ofCalls.get(call);
  if (known) return known;
  const read = readSettings(call.environment);
  if ('wrong' in read) throw new ClearError(read.wrong.map(printable).join('\n'), 'usage');
  ofCalls.set(call, read);
  for (const note of read.notes) call.output.note(printable(note));
  return read;
}
