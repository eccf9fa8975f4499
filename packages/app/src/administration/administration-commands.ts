/* `migrate` and `doctor`. What a command needs is loaded when it runs, so that `--help` answers at once. */
import { leaf } from '@campaign-mirror/adapters-cli';
import { type Call, exitCodes, printable } from '@campaign-mirror/adapters-cli/terminal';

export function migrate(call: Call) {
  return leaf(
    'migrate',
    'bring the schema up to date and give the roles that exist their rights, as the owner of the schema',
    ['migrate', 'migrate --json'],
  ).action(async () => (await import('../operator/command-database.ts')).migrateAsOwner(call));
}

export function doctor(call: Call) {
  return leaf(
    'doctor',
    'check settings, database, rights, versions, connections and disk, and say what to do; changes nothing',
    ['doctor', 'doctor --json'],
  ).action(async () => {
    const { examine } = await import('./examination.ts');
    for await (const { check, state, finding, advice } of examine(call)) {
      let text = `${state.padEnd(8)} ${check.padEnd(11)} ${printable(finding)}`;
      if (advice !== null) text += `\n${' '.repeat(21)}${printable(advice)}`;
      await call.output.answer({ check, state, finding, advice }, text);
      if (state !== 'problem') continue;
      if (check === 'database') call.exitCode = exitCodes.unavailable;
      else call.exitCode ||= exitCodes.refused;
    }
  });
}
