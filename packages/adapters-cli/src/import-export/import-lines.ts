import * as domain from '@campaign-mirror/domain';
import { parse } from 'csv-parse/sync';
import { ClearError } from '../terminal/errors.ts';

/** The maximum length of a line, in bytes. A valid line takes less than half of this. */
const longestLine = 65_536;

/** Why a line cannot be read. */
class UnreadLine extends Error {}

/** The lines of a file, each with a character for each byte. */
async function* linesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of bytes) {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    // Only as much of an endless line is kept as shows that it is too long.
    rest = lines.pop()?.slice(0, longestLine + 1) ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const otherEncoding = 'in Excel, save it as “CSV UTF-8 (Comma delimited)”';
const notInUtf8 = `the line is not in UTF-8; the file may be in Windows-1252: ${otherEncoding}`;
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The text without the line end, and without the byte order mark with which a file can begin.
 * @throws UnreadLine if it is not UTF-8, or too long
 */
function textOf(line: string): string {
  if (line.length > longestLine) throw new UnreadLine(`the line is longer than ${longestLine} bytes`);
  if (line.includes('\0')) throw new UnreadLine(`the file is in UTF-16, not in UTF-8: ${otherEncoding}`);
  try {
    return decoder.decode(Buffer.from(line, 'latin1')).replace(/\r$/, '');
  } catch {
    throw new UnreadLine(notInUtf8);
  }
}

/**
 * The fields of a line of CSV (RFC 4180). A field cannot have several lines, so an error in one line does not affect
 * others. @throws UnreadLine
 */
function fieldsIn(text: string): string[] {
  // Most lines have no quotation mark, and take a fraction of the time so.
  if (!text.includes('"')) return text.split(',');
  try {
    return parse(text, { relax_column_count: true, record_delimiter: '\n' })[0] ?? [];
  } catch {
    throw new UnreadLine(
      'a quotation mark is in the wrong place, or not closed: quote the whole field, on one line, and double the ' +
        'quotation mark in it',
    );
  }
}

/**
 * Reads the lines of a CSV file of campaigns and checks them. A first line such as `sep=,`, which is for spreadsheets,
 * and rows without any value are skipped. Only the first line in another encoding than UTF-8 is reported.
 * @throws ClearError when the header does not name the columns
 */
export async function* importLines(
  bytes: AsyncIterable<Buffer>,
  denied: domain.HostList,
): AsyncGenerator<domain.ImportLine> {
  let columns: readonly domain.CampaignField[] | undefined;
  let line = 0;
  let isUtf8 = true;
  for await (const encoded of linesOf(bytes)) {
    line += 1;
    try {
      const text = textOf(encoded);
      if (columns) {
        if (!/^,*$/.test(text)) yield { line, ...checked(text, columns, denied) };
      } else if (line > 1 || !/^"?sep=/i.test(text)) {
        columns = columnsOf(text);
      }
    } catch (error) {
      if (!(error instanceof UnreadLine)) throw error;
      if (!columns) throw new ClearError(`line ${line}: ${error.message}`);
      if (error.message === notInUtf8 && !isUtf8) continue;
      if (error.message === notInUtf8) isUtf8 = false;
      yield { line, faults: [{ kind: 'unread', because: error.message }] };
    }
  }
  if (!columns) throw new ClearError('the file is empty');
}

function checked(text: string, columns: readonly domain.CampaignField[], denied: domain.HostList) {
  const record = fieldsIn(text);
  if (record.length !== columns.length) {
    throw new UnreadLine(`the line has ${record.length} fields, but the header has ${columns.length}`);
  }
  const fields = domain.campaignFields.map((field) => [field, record[columns.indexOf(field)] ?? '']);
  return domain.importedCampaign(Object.fromEntries(fields), denied);
}

/**
 * The columns in the order of the header, whose names can be in upper or lower case. A column that is not in the header is
 * empty in every line. @throws UnreadLine
 */
function columnsOf(text: string): readonly domain.CampaignField[] {
  const separator = text.includes(',') ? undefined : /[;\t|]/.exec(text)?.[0];
  if (separator) {
    throw new UnreadLine(
      `its columns are separated by ${JSON.stringify(separator)}: separate them by commas`,
    );
  }
  const header = fieldsIn(text).map((name) => name.trim().toLowerCase());
  const known: readonly string[] = domain.campaignFields;
  const wrong = header.filter((name, at) => !known.includes(name) || header.indexOf(name) !== at);
  if (wrong.length === 0 && header.includes('owner_id')) return header as domain.CampaignField[];
  const fault =
    wrong.length > 0
      ? `it has unknown or repeated columns: "${wrong.join('", "').slice(0, 200)}"`
      : 'it lacks the column owner_id';
  throw new UnreadLine(
    `${fault}. The first line must name owner_id, and may name, in any order: ${known.join(',')}`,
  );
}
