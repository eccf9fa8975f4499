import { printable, printableLines } from '@campaign-mirror/adapters-cli/terminal/escapes';
import { prettyFactory } from 'pino-pretty';

/** Turns lines of the log into what people read in a terminal; what is none of the log's stays as it is. */
export function readable(): (lines: string) => string {
  const pretty = prettyFactory({ translateTime: 'HH:MM:ss.l', ignore: 'pid' });
  const one = (line: string) => (line.startsWith('{"level"') ? pretty(harmless(JSON.parse(line))) : line);
  return (lines) =>
    lines
      .split(/(?<=\n)/)
      .map(one)
      .join('');
}

/** Parsed, a text holds the characters again that its JSON had escaped. The lines of a stack are ours. */
function harmless(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'stack' ? printableLines(value) : printable(value);
  if (Array.isArray(value)) return value.map((item) => harmless(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [printable(key), harmless(item, key)]),
  );
}
