import * as domain from '@campaign-mirror/domain';
import { parse } from 'csv-parse/sync';
import { ClearError } from '../terminal/errors.ts';

/** The maximum length of a line, in bytes. A valid line takes less than half of this. */
const longestLine = 65_536;

/** A line that cannot be read: `unread` is the reason. */
interface UnreadLine {
  readonly unread: string;
  readonly text?: string;
}

/** The fields of a line of CSV (RFC 4180), or why it cannot be read; undefined for an empty line. */
export type CsvRecord = readonly string[] | UnreadLine | undefined;

/**
 * One record for each line of a UTF-8 file, in order, and in batches as they are read. A field cannot have several lines,
 * so an error in one line does not affect others.
 */
export async function* recordsOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord[]> {
  let rest = '';
  for await (const chunk of bytes) {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    // Only as much of an endless line is kept as shows that it is too long.
    rest = lines.pop()?.slice(0, longestLine + 1) ?? '';
    yield recordsIn(lines);
  }
  if (rest !== '') yield recordsIn([rest]);
}

/** Each line has a character for each byte. */
function recordsIn(lines: readonly string[]): CsvRecord[] {
  const texts = lines.map(textOf);
  const readable = texts.filter((text) => typeof text === 'string' && text !== '');
  const records = parsed(readable as string[]).values();
  return texts.map((text) => {
    if (typeof text !== 'string') return text;
    return text === '' ? undefined : records.next().value;
  });
}

const otherEncoding = 'in Excel, save it as “CSV UTF-8 (Comma delimited)”';
export const inUtf16 = `the file is in UTF-16, not in UTF-8: ${otherEncoding}`;
export const notInUtf8 = `the line is not in UTF-8; the file may be in Windows-1252: ${otherEncoding}`;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text without the line end, and without the byte order mark with which a file can begin. */
function textOf(line: string): string | UnreadLine {
  if (line.length > longestLine) return { unread: `the line is longer than ${longestLine} bytes` };
  // The byte order mark of UTF-16. No character begins with these bytes in UTF-8.
  if (/^(?:\xff\xfe|\xfe\xff)/.test(line)) return { unread: inUtf16 };
  try {
    return decoder.decode(Buffer.from(line, 'latin1')).replace(/\r$/, '');
  } catch {
    return { unread: notInUtf8 };
  }
}

/** Parses the lines together, or in halves if a fault in one of them affects others. */
function parsed(lines: readonly string[]): CsvRecord[] {
  try {
    const records = parse(lines.join('\n'), { relax_column_count: true, record_delimiter: '\n' });
    if (records.length === lines.length || lines.length === 1) return records;
  } catch (error) {
    const [text = ''] = lines;
    if (lines.length === 1) return [{ unread: quotationFault(error), text }];
  }
  const half = Math.ceil(lines.length / 2);
  return [...parsed(lines.slice(0, half)), ...parsed(lines.slice(half))];
}

function quotationFault(error: unknown): string {
  return (error as { code?: string }).code === 'CSV_QUOTE_NOT_CLOSED'
    ? 'a quotation mark is not closed: a field cannot have several lines'
    : 'a quotation mark is in the wrong place: quote the whole field, and double the quotation mark in it';
}

/**
 * Reads the lines of a CSV file of campaigns and checks them. A first line such as `sep=,`, which is for spreadsheets,
 * and rows without any value are skipped. Only the first line in another encoding than UTF-8 is reported.
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
      if (!columns) {
        if (line > 1 || !isSeparatorLine(record)) columns = columnsOf(record, line);
        continue;
      }
      if (record === undefined || isEmpty(record)) continue;
      const isNotUtf8 = 'unread' in record && record.unread === notInUtf8;
      if (!isNotUtf8 || isUtf8) yield { line, ...checked(record, columns, denied) };
      if (isNotUtf8) isUtf8 = false;
    }
  }
  if (!columns) columnsOf([], 1);
}

function isSeparatorLine(record: CsvRecord): boolean {
  return record !== undefined && !('unread' in record) && /^sep=/i.test(record[0] ?? '');
}

function isEmpty(record: NonNullable<CsvRecord>): boolean {
  return !('unread' in record) && record.every((field) => field === '');
}

const noClaims = { id: null, name: null, mirrorId: null, defaultOf: null };

function checked(
  record: NonNullable<CsvRecord>,
  columns: readonly domain.CampaignField[],
  denied: domain.HostDenylist,
) {
  const unread = (because: string) => ({
    faults: [{ kind: 'unread' as const, because }],
    claims: noClaims,
  });
  if ('unread' in record) return unread(record.unread);
  if (record.length !== columns.length)
    return unread(`the line has ${record.length} fields, but the header has ${columns.length}`);
  const fields = domain.campaignFields.map((field) => [field, record[columns.indexOf(field)] ?? '']);
  return domain.importedCampaign(Object.fromEntries(fields), denied);
}

/**
 * The columns in the order of the header, whose names can be in upper or lower case. A column that is not in the header is
 * empty in every line.
 */
function columnsOf(record: CsvRecord = [], line: number): readonly domain.CampaignField[] {
  const fault = (because: string) => new ClearError(`line ${line}: ${because}`);
  const text = 'unread' in record ? (record.text ?? '') : record.join(',');
  if (text.includes('\0')) throw fault(inUtf16);
  const separator = text.includes(',') ? undefined : /[;\t|]/.exec(text)?.[0];
  if (separator)
    throw fault(`its columns are separated by ${separators[separator]}: separate them by commas`);
  if ('unread' in record) throw fault(record.unread);
  const header = record.map((name) => name.trim().toLowerCase());
  const fields: readonly string[] = domain.campaignFields;
  const unknown = record.filter((_, at) => !fields.includes(header[at] ?? ''));
  const twice = fields.filter((name) => header.indexOf(name) !== header.lastIndexOf(name));
  const faults: string[] = [];
  if (unknown.length > 0) faults.push(`it has unknown columns ${listed(unknown)}`);
  if (!header.includes('owner_id')) faults.push('it lacks the column owner_id');
  if (twice.length > 0) faults.push(`it has columns twice ${listed(twice)}`);
  if (faults.length === 0) return header as domain.CampaignField[];
  throw fault(
    `${faults.join('; ')}. ` +
      `The first line must name owner_id, and may name, in any order: ${domain.campaignFields.join(',')}`,
  );
}

const separators: Readonly<Record<string, string>> = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** The beginnings of the first names. */
function listed(names: readonly string[]): string {
  const first = names.slice(0, domain.campaignFields.length);
  return first.map((name) => name.slice(0, 40) || '(empty)').join(', ');
}
