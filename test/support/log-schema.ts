import { readFileSync } from 'node:fs';
import { projectFolder } from './workspace.ts';

/** What LOGS.md says of an event. */
export interface EventRow {
  readonly levels: readonly string[];
  readonly fields: readonly string[];
}

export const levelNumbers: Readonly<Record<string, number>> = {
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
};

const everyLine = ['level', 'time', 'pid', 'event', 'msg'];

/** The tables of LOGS.md. @throws Error where one says a thing twice */
export function logSchema(): { events: ReadonlyMap<string, EventRow>; fields: readonly string[] } {
  const text = readFileSync(`${projectFolder}LOGS.md`, 'utf8');
  const events = new Map<string, EventRow>();
  for (const [names = '', levels = '', , fields = ''] of rows(text, 'events')) {
    for (const name of quoted(names)) {
      if (events.has(name)) throw new Error(`LOGS.md has ${name} twice`);
      events.set(name, { levels: levels.split(', '), fields: quoted(fields) });
    }
  }
  const fields = rows(text, 'fields').flatMap(([names = '']) => quoted(names));
  if (new Set(fields).size < fields.length) throw new Error('LOGS.md has a field twice');
  return { events, fields };
}

function rows(markdown: string, marker: string): string[][] {
  const [, table = ''] = markdown.split(`<!-- ${marker} -->\n`);
  const lines = (table.split('\n\n')[0] ?? '').split('\n').slice(2);
  return lines.filter(Boolean).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');

/** What of a process' output breaks the schema; lines that begin no object, as those for newcomers, are none of the log's. */
export function schemaFaults(output: string): string[] {
  const { events } = logSchema();
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .flatMap((text) => {
      const line: Record<string, unknown> = JSON.parse(text);
      const row = events.get(String(line.event));
      if (!row) return [`no such event: ${text}`];
      const missing = everyLine.filter((name) => !(name in line));
      const unknown = Object.keys(line).filter(
        (name) => ![...everyLine, 'worker', ...row.fields].includes(name),
      );
      const isAtLevel = row.levels.some((level) => levelNumbers[level] === line.level);
      return [
        ...missing.map((name) => `${name} is missing: ${text}`),
        ...unknown.map((name) => `${name} is not in LOGS.md: ${text}`),
        ...(isAtLevel ? [] : [`another level than in LOGS.md: ${text}`]),
      ];
    });
}
