import { leaf } from '@campaign-mirror/adapters-cli';
import { type Call, exitCodes, printable } from '@campaign-mirror/adapters-cli/terminal';
import type { Finding } from './findings.ts';

export function doctor(call: Call) {
  return leaf({
    name: 'doctor',
    does: 'check settings, database, rights, versions, connections and disk, and say what to do; changes nothing',
    examples: ['doctor', 'doctor --json'],
  }).action(async ({ json }) => {
    const { examine } = await import('./examination.ts');
    const found: Finding[] = [];
    for await (const finding of examine(call)) {
      found.push(finding);
      await call.output.answer(json, object(finding), lines(finding));
    }
    if (found.some(({ away }) => away)) call.exitCode = exitCodes.away;
    else if (found.some(({ state }) => state === 'problem')) call.exitCode = exitCodes.refused;
  });
}

function object({ check, state, finding, advice }: Finding): object {
  return { check, state, finding, advice };
}

function lines({ check, state, finding, advice }: Finding): string {
  const first = `${state.padEnd(8)} ${check.padEnd(11)} ${printable(finding)}`;
  return advice === null ? first : `${first}\n${' '.repeat(21)}${printable(advice)}`;
}
