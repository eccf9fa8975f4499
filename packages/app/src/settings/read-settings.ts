import { readFileSync, statSync } from 'node:fs';
import * as v from 'valibot';
import { contradictions, type Mistake } from './contradictions.ts';
import { settingsNotes } from './notes.ts';
import { type SettingName, type Settings, schema, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The text of a setting, and where it comes from; `unset` without a value and a default. */
export interface Origin {
  readonly text: string | undefined;
  readonly source:
    | { readonly kind: 'environment' | 'default' | 'unset' }
    | { readonly kind: 'file'; readonly path: string };
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
      /** The settings that `wrong` is about. */
      readonly about: readonly SettingName[];
    };

/** The variable that names the file of a secret. */
export const fileVariable = (name: SettingName) => `${name}_FILE`;

/**
 * Reads the settings from the environment, and secrets from the files that it names. An empty variable counts as unset;
 * white space is a value.
 */
export function readSettings(environment: Environment): ReadSettings {
  const wrong: Mistake[] = [];
  const found = (Object.keys(settings) as SettingName[]).map((name) => {
    const { fault, ...origin } = originOf(environment, name);
    if (fault !== undefined) wrong.push({ about: [name], line: fault });
    return [name, origin] as const;
  });
  const origins = Object.fromEntries(found) as Origins;
  const texts = Object.fromEntries(found.map(([name, { text }]) => [name, text]));
  const { success, output, issues = [] } = v.safeParse(schema, texts);
  for (const issue of issues) {
    const name = v.getDotPath(issue) as SettingName;
    wrong.push({ about: [name], line: mistake(name, issue.message, origins[name]) });
  }
  if (success && wrong.length === 0) wrong.push(...contradictions(output));
  if (success && wrong.length === 0) {
    return { settings: output, origins, notes: settingsNotes(environment, output) };
  }
  return { wrong: wrong.map(({ line }) => line), about: wrong.flatMap(({ about }) => about) };
}

function originOf(environment: Environment, name: SettingName): Origin & { fault?: string } {
  const { byDefault, secret } = settings[name];
  const text = environment[name] || undefined;
  const path = secret && environment[fileVariable(name)];
  if (path) {
    const source = { kind: 'file', path } as const;
    const twice = `${name} and ${fileVariable(name)} are both set: leave one of them out`;
    if (text !== undefined) return { text: undefined, source, fault: twice };
    const { content, fault } = secretFile(path);
    return { text: content, source, ...(fault && { fault: `${fileVariable(name)}: ${path} ${fault}` }) };
  }
  if (text !== undefined) return { text, source: { kind: 'environment' } };
  return { text: byDefault, source: { kind: byDefault === undefined ? 'unset' : 'default' } };
}

/** In bytes. */
const longestFile = 16_384;

/** Without the line break at its end; only what is a file is opened, as opening a pipe would wait. */
function secretFile(path: string): { content?: string; fault?: string } {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { fault: 'is not a file' };
    if (stats.size > longestFile) return { fault: `is too large (over ${longestFile} bytes)` };
    const content = new TextDecoder('utf-8', { fatal: true })
      .decode(readFileSync(path))
      .replace(/\r?\n$/, '');
    if (content === '') return { fault: 'is empty' };
    return /[\0\r\n]/.test(content) ? { fault: 'holds more than one line' } : { content };
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` };
  }
}

function mistake(name: SettingName, accepted: string, { text, source }: Origin): string {
  const where = source.kind === 'file' ? ` (in ${source.path})` : '';
  return `${name}${where} must be ${accepted}${settings[name].secret ? '' : `, not ${JSON.stringify(text)}`}`;
}
