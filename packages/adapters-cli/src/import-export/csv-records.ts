import { parse } from 'csv-parse/sync';
import type { Line } from './file-lines.ts';

/** The content of a line of CSV (RFC 4180), or why it could not be read. */
export type CsvRecord = readonly string[] | { readonly unread: string };

const options = { relax_column_count: true, record_delimiter: '\n' };

/**
 * One record for each line: no field spans several lines, so an error in one line does not affect others. An empty line
 * gives undefined.
 */
export function recordsOf(lines: readonly Line[]): (CsvRecord | undefined)[] {
  const texts = lines.filter((line): line is string => typeof line === 'string' && line !== '');
  const records = together(texts) ?? texts.map(alone);
  let at = 0;
  return lines.map((line) => {
    if (line === '') return undefined;
    return typeof line === 'string' ? records[at++] : line;
  });
}

/** Undefined if the line affects the lines around it. */
function together(texts: readonly string[]): string[][] | undefined {
  try {
    const records = parse(texts.join('\n'), options);
    return records.length === texts.length ? records : undefined;
  } catch {
    return undefined;
  }
}

function alone(text: string): CsvRecord {
  try {
    return parse(text, options)[0] ?? [];
  } catch (error) {
    const { code } = error as { code?: string };
    return {
      unread:
        code === 'CSV_QUOTE_NOT_CLOSED'
          ? 'a quotation mark is not closed: a field cannot go over several lines'
          : 'a quotation mark stands where none may: a field with one is quoted as a whole, and the mark doubled',
    };
  }
}
