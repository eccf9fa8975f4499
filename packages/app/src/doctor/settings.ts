import { fileVariable, readSettings } from '../settings/read-settings.ts';
import type { SettingName, Settings } from '../settings/settings.ts';
import { type Finding, ok, problem, warning } from './findings.ts';

/** Without these it is unknown which database is meant. */
const ofTheDatabase = /^(?:DATABASE_URL|DATA_DIR|PG[A-Z]+)$/;

/**
 * Every wrong setting, and those in force without the wrong ones, for the following checks; none where those would
 * examine another database.
 */
export function checkSettings(environment: NodeJS.ProcessEnv): {
  findings: Finding[];
  settings: Settings | undefined;
} {
  const rest = { ...environment };
  const findings: Finding[] = [];
  const about: SettingName[] = [];
  // Contradictions between settings are found only when each is valid.
  let read = readSettings(rest);
  for (; 'wrong' in read; read = readSettings(rest)) {
    for (const line of read.wrong) findings.push(problem('settings', line, 'correct it'));
    about.push(...read.about);
    for (const name of read.about) {
      delete rest[name];
      delete rest[fileVariable(name)];
    }
  }
  if (findings.length === 0) findings.push(ok('settings', 'none is wrong'));
  for (const note of read.notes) findings.push(warning('settings', note, 'correct it, or leave it out'));
  return { findings, settings: about.some((name) => ofTheDatabase.test(name)) ? undefined : read.settings };
}
