import * as v from 'valibot';
import { contradictions } from './contradictions.ts';
import { settingsNotes } from './notes.ts';
import { readSecretFile } from './secret-file.ts';
import type { Mistake } from './setting-mistake.ts';
import { type Setting, type SettingName, type Settings, settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the value of a setting comes from; `unset` without a value and a default. */
export type Source =
  | { readonly kind: 'environment' | 'default' | 'unset' }
  | { readonly kind: 'file'; readonly path: string };

/** As written, and where. */
export interface Origin {
  readonly text: string | undefined;
  readonly source: Source;
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

const names = Object.keys(settings) as SettingName[];

/** The variable that names the file of a secret. */
export const fileVariable = (name: SettingName) => `${name}_FILE`;

/**
 * Reads the settings from the environment, and secrets from the files that it names. An empty variable counts as unset;
 * white space is a value.
 */
export function readSettings(environment: Environment): ReadSettings {
  const origins: Partial<Record<SettingName, Origin>> = {};
  const values: Partial<Record<SettingName, unknown>> = {};
  const wrong: Mistake[] = [];
  for (const name of names) {
    const one: Setting = settings[name];
    const origin = originOf(environment, name, one);
    if ('fault' in origin) {
      wrong.push({ about: [name], line: origin.fault });
      continue;
    }
    origins[name] = origin;
    if (origin.text === undefined) continue;
    const parsed = v.safeParse(one.accepts.schema, origin.text, { abortEarly: true, abortPipeEarly: true });
    if (parsed.success) values[name] = parsed.output;
    else wrong.push({ about: [name], line: mistake(name, parsed.issues[0].message, origin, one.secret) });
  }
  const read = values as Settings;
  if (wrong.length === 0) wrong.push(...contradictions(read));
  if (wrong.length > 0) {
    return { wrong: wrong.map(({ line }) => line), about: wrong.flatMap(({ about }) => about) };
  }
  return { settings: read, origins: origins as Origins, notes: settingsNotes(environment, read) };
}

function originOf(
  environment: Environment,
  name: SettingName,
  { byDefault, secret }: Setting,
): Origin | { fault: string } {
  const text = environment[name] || undefined;
  const path = (secret && environment[fileVariable(name)]) || undefined;
  if (text !== undefined && path !== undefined) {
    return { fault: `${name} and ${fileVariable(name)} are both set: leave one of them out` };
  }
  if (path !== undefined) {
    const read = readSecretFile(path);
    if ('fault' in read) return { fault: `${fileVariable(name)}: ${path} ${read.fault}` };
    return { text: read.secret, source: { kind: 'file', path } };
  }
  if (text !== undefined) return { text, source: { kind: 'environment' } };
  return { text: byDefault, source: { kind: byDefault === undefined ? 'unset' : 'default' } };
}

function mistake(
  name: SettingName,
  accepted: string,
  { text, source }: Origin,
  secret: true | undefined,
): string {
  const where = source.kind === 'file' ? ` (in ${source.path})` : '';
  return `${name}${where} must be ${accepted}${secret ? '' : `, not ${JSON.stringify(text)}`}`;
}
