import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from } from 'pg-copy-streams';

/** Runs `copy … from stdin`, as fast as the server accepts it. */
export async function copyIn(client: PoolClient, copy: string, text: AsyncIterable<string>): Promise<void> {
  await pipeline(Readable.from(text, { objectMode: true }), client.query(from(copy)));
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A row in COPY's text format. */
export function copyLine(values: readonly (string | number | boolean | null)[]): string {
  return `${values.map(copyText).join('\t')}\n`;
}

function copyText(value: string | number | boolean | null): string {
  if (value === null) return '\\N';
  return typeof value === 'string'
    ? value.replace(/[\\\t\n\r]/g, (character) => escapes[character] ?? character)
    : String(value);
}
