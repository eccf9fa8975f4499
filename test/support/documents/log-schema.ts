import { type EventName, logEvents } from '../../../packages/app/src/logging/log-events.ts';

const levels = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 };
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
    const event = logEvents[line.event as EventName];
    const known: string[] = [...everyLine, 'worker', ...event.fields, ...event.more];
    const isAtLevel = event.levels.some((level) => levels[level] === line.level);
    return [
      ...everyLine.filter((name) => !(name in line)).map((name) => `${name} is missing: ${text}`),
      ...Object.keys(line)
        .filter((name) => !known.includes(name))
        .map((name) => `${name} is not in docs/reference/logs.md: ${text}`),
      ...(isAtLevel ? [] : [`another level than in docs/reference/logs.md: ${text}`]),
    ];
  });
}
