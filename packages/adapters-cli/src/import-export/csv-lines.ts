import { parse } from 'csv-parse/sync';

/** In bytes. A valid line takes less than half of this. */
const longestLine = 65_536;

/** The content of a line of CSV (RFC 4180), or its text and why it could not be read; an empty line gives undefined. */
export type CsvRecord = readonly string[] | { readonly unread: string; readonly text?: string } | undefined;

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
  const records = parsed(texts.filter((text) => typeof text === 'string').filter(Boolean)).values();
  return texts.map((text) => (typeof text !== 'string' ? text : text ? records.next().value : undefined));
}

const otherEncoding = 'in Excel, save it as “CSV UTF-8 (Comma delimited)”';
export const inUtf16 = `the file is in UTF-16, not in UTF-8: ${otherEncoding}`;
export const notInUtf8 = `the line is not in UTF-8, and the file perhaps in Windows-1252: ${otherEncoding}`;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Without the line end, and without the byte order mark that a file may begin with. */
function textOf(line: string): string | { readonly unread: string } {
  if (line.length > longestLine) return { unread: `the line is longer than ${longestLine} bytes` };
  // A byte order mark, of which no character begins in UTF-8.
  if (/^(?:\xff\xfe|\xfe\xff)/.test(line)) return { unread: inUtf16 };
  try {
    return decoder.decode(Buffer.from(line, 'latin1')).replace(/\r$/, '');
  } catch {
    return { unread: notInUtf8 };
  }
}

/** Parses the lines together, or in halves where one of them affects those around it. */
function parsed(lines: readonly string[]): CsvRecord[] {
  try {
    const records = parse(lines.join('\n'), { relax_column_count: true, record_delimiter: '\n' });
    if (records.length === lines.length || lines.length === 1) return records;
  } catch (error) {
    const isOpen = (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED';
    const unread = isOpen
      ? 'a quotation mark is not closed: a field cannot go over several lines'
      : 'a quotation mark stands where none may: a field with one is quoted as a whole, and the mark doubled';
    const [text = ''] = lines;
    if (lines.length === 1) return [{ unread, text }];
  }
  const half = Math.ceil(lines.length / 2);
  return [...parsed(lines.slice(0, half)), ...parsed(lines.slice(half))];
}
