import { printable, printableLines } from '@campaign-mirror/adapters-cli/terminal';
import { prettyFactory } from 'pino-pretty';

/** Converts lines of the log to text for a terminal; anything else stays unchanged. */
export function readable(): (lines: string) => string {
  const pretty = prettyFactory({ translateTime: 'HH:MM:ss.l', ignore: 'pid' });
  const one = (line: string) => (line.startsWith('{"level"') ? pretty(harmless(JSON.parse(line))) : line);
  return (lines) =>
    lines
      .split(/(?<=\n)/)
      .map(one)
      .join('');
}

/** A parsed text again contains the characters that its JSON had escaped. The lines of a stack are safe. */
function harmless(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'stack' ? printableLines(value) : printable(value);
  if (Array.isArray(value)) return value.map((item) => harmless(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [printable(key), harmless(item, key)]),
  );
}
