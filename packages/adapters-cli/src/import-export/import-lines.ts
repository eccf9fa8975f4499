import * as domain from '@campaign-mirror/domain';
import { parse } from 'csv-parse/sync';
import { ClearError } from '../terminal/errors.ts';

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

/**
 * Reads the lines of a CSV file of campaigns and checks them. A first line such as `sep=,`, which is for spreadsheets,
 * and rows without any value are passed over. A file in another encoding is told of once, by its first such line.
 * @throws ClearError when the header does not name the columns
 */
export async function* importLines(
  bytes: AsyncIterable<Buffer>,
  denied: domain.HostDenylist,
): AsyncGenerator<domain.ImportLine> {
  let columns: readonly domain.CampaignField[] | undefined;
  let line = 0;
  let isUtf8 = true;
  for await (const records of recordsOf(bytes)) {
    for (const record of records) {
      line += 1;
      const isUnread = record !== undefined && 'unread' in record;
      if (!columns) {
        if (line > 1 || isUnread || !/^sep=/i.test(record?.[0] ?? '')) columns = columnsOf(record, line);
      } else if (isUnread && record.unread === notInUtf8) {
        if (isUtf8) yield { line, ...judged(record, columns, denied) };
        isUtf8 = false;
      } else if (record && (isUnread || record.some((field) => field !== ''))) {
        yield { line, ...judged(record, columns, denied) };
      }
    }
  }
  if (!columns) columnsOf([], 1);
}

const nothingClaimed = { id: null, name: null, mirrorId: null, defaultOf: null };

function judged(
  record: NonNullable<CsvRecord>,
  columns: readonly domain.CampaignField[],
  denied: domain.HostDenylist,
) {
  const unread = (because: string) => ({
    faults: [{ kind: 'unread' as const, because }],
    claims: nothingClaimed,
  });
  if ('unread' in record) return unread(record.unread);
  if (record.length !== columns.length)
    return unread(`there are ${record.length} fields, where the header has ${columns.length}`);
  const fields = domain.campaignFields.map((field) => [field, record[columns.indexOf(field)] ?? '']);
  return domain.importedCampaign(Object.fromEntries(fields), denied);
}

/**
 * In the order of the header, which names each column at most once, in any case; a column that it does not name is empty
 * in every line.
 */
function columnsOf(given: CsvRecord = [], line: number): readonly domain.CampaignField[] {
  const unread = (because: string) => new ClearError(`line ${line}: ${because}`);
  const text = 'unread' in given ? (given.text ?? '') : given.join(',');
  if (text.includes('\0')) throw unread(inUtf16);
  const [, other] = (!text.includes(',') && /([;\t|])/.exec(text)) || [];
  if (other) throw unread(`its columns are separated by ${separators[other]}: separate them by commas`);
  if ('unread' in given) throw unread(given.unread);
  const header = given.map((name) => name.trim().toLowerCase());
  const known: readonly string[] = domain.campaignFields;
  const unknown = given.filter((_, at) => !known.includes(header[at] ?? ''));
  const twice = known.filter((name) => header.indexOf(name) !== header.lastIndexOf(name));
  const faults = [
    ...(unknown.length > 0 ? [`it has unknown columns ${listed(unknown)}`] : []),
    ...(header.includes('owner_id') ? [] : ['it lacks the column owner_id']),
    ...(twice.length > 0 ? [`it has columns twice ${listed(twice)}`] : []),
  ];
  if (faults.length === 0) return header as domain.CampaignField[];
  throw unread(
    `${faults.join('; ')}. ` +
      `The first line must name owner_id, and may name, in any order: ${domain.campaignFields.join(',')}`,
  );
}

const separators: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** The first ones, and the beginning of each. */
function listed(names: readonly string[]): string {
  const first = names.slice(0, domain.campaignFields.length);
  return first.map((name) => name.slice(0, 40) || '(empty)').join(', ');
}
