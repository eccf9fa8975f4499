import { logEvents } from '../../../packages/app/src/logging/log-events.ts';

const everyLine = ['level', 'time', 'pid', 'event', 'msg'];

/** Of an output that is nothing but lines of the log. */
export const linesIn = (output: string) =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** What of a process' output is otherwise than docs/reference/logs.md says; lines that begin no object, as those for newcomers, are none of the log's. */
export function schemaFaults(output: string): string[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.flatMap((text) => {
    const line: Record<string, unknown> = JSON.parse(text);
    if (!Object.hasOwn(logEvents, String(line.event))) return [`no such event: ${text}`];
    return everyLine.filter((name) => !(name in line)).map((name) => `${name} is missing: ${text}`);
  });
}
