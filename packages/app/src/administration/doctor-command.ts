import { leaf } from '@campaign-mirror/adapters-cli';
import { type Call, exitCodes, printable } from '@campaign-mirror/adapters-cli/terminal';

export function doctor(call: Call) {
  return leaf(
    'doctor',
    'check settings, database, rights, versions, connections and disk, and say what to do; changes nothing',
    ['doctor', 'doctor --json'],
  ).action(async ({ json }) => {
    const { examine } = await import('./examination.ts');
    for await (const [check, result] of examine(call)) {
      const { state, finding, advice } = result;
      const first = `${state.padEnd(8)} ${check.padEnd(11)} ${printable(finding)}`;
      const lines = advice === null ? first : `${first}\n${' '.repeat(21)}${printable(advice)}`;
      await call.output.answer(json, { check, state, finding, advice }, lines);
      if (check === 'database' && state === 'problem') call.exitCode = exitCodes.away;
      else if (state === 'problem') call.exitCode ||= exitCodes.refused;
    }
  });
}
