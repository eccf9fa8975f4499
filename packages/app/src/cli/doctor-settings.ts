import { readSettings, type Settings } from '../settings.ts';
import { type Finding, ok, problem } from './doctor-findings.ts';

/** Without these it is not known which database is meant. */
const ofTheDatabase = ['DATABASE_URL', 'DATA_DIR'];

/**
 * Every wrong setting, and those that are in force once the wrong ones are left out, for the checks that follow;
 * none where they would look at another database.
 */
export function checkSettings(environment: NodeJS.ProcessEnv): {
  findings: Finding[];
  settings: Settings | undefined;
} {
  const rest = { ...environment };
  const findings: Finding[] = [];
  // What contradicts another setting is found once each of them is right.
  for (let read = readSettings(rest); 'wrong' in read; read = readSettings(rest)) {
    for (const line of read.wrong) {
      findings.push(problem('settings', line, 'correct it'));
      delete rest[/^\w+/.exec(line)?.[0] ?? ''];
    }
  }
  if (findings.length === 0) findings.push(ok('settings', 'none is wrong'));
  if (ofTheDatabase.some((name) => environment[name] !== rest[name]))
    return { findings, settings: undefined };
  const read = readSettings(rest);
  return { findings, settings: 'settings' in read ? read.settings : undefined };
}
