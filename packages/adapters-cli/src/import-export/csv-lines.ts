import { parse } from 'csv-parse/sync';

/** In bytes. A valid line takes less than half of this. */
const longestLine = 65_536;

/** The content of a line of CSV (RFC 4180), or why it could not be read; an empty line gives undefined. */
export type CsvRecord = readonly string[] | { readonly unread: string } | undefined;

/**
 * One record for each line of a UTF-8 file, in order and in batches as they are read. No field spans several lines, so
 * an error in one line does not affect others.
 */
export async function* recordsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord[]> {
  let rest = '';
  for await (const chunk of bytes) {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    // Of a line that never ends, only that it is too long is kept.
    rest = lines.pop()?.slice(0, longestLine + 1) ?? '';
    yield recordsIn(lines);
  }
  if (rest !== '') yield recordsIn([rest]);
}

/** `lines` have a character for each byte. */
function recordsIn(lines: readonly string[]): CsvRecord[] {
  const texts = lines.map(textOf);
  const readable = texts.filter((text) => typeof text === 'string' && text !== '') as string[];
  const records = parsedTogether(readable) ?? readable.map(parsedAlone);
  let at = 0;
  return texts.map((text) => (typeof text === 'string' ? (text === '' ? undefined : records[at++]) : text));
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Without the line end, and without the byte order mark that a file may begin with. */
function textOf(line: string): string | { readonly unread: string } {
  if (line.length > longestLine) return { unread: `the line is longer than ${longestLine} bytes` };
  try {
    return decoder.decode(Buffer.from(line, 'latin1')).replace(/\r$/, '');
  } catch {
    return { unread: 'the line is not in UTF-8' };
  }
}

const options = { relax_column_count: true, record_delimiter: '\n' };

/** Undefined if a line affects the lines around it. */
function parsedTogether(lines: readonly string[]): string[][] | undefined {
  try {
    const records = parse(lines.join('\n'), options);
    return records.length === lines.length ? records : undefined;
  } catch {
    return undefined;
  }
}

function parsedAlone(line: string): CsvRecord {
  try {
    return parse(line, options)[0] ?? [];
  } catch (error) {
    const isOpen = (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED';
    return {
      unread: isOpen
        ? 'a quotation mark is not closed: a field cannot go over several lines'
        : 'a quotation mark stands where none may: a field with one is quoted as a whole, and the mark doubled',
    };
  }
}
