import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import type { Call } from './call.ts';
import { ClearError, counted, reasonOf } from './errors.ts';

export type CsvFile = Awaited<ReturnType<typeof csvFile>>;

/**
 * The file at a path, or standard input for `-`, which a command reads once: its name without folders, and its size in
 * bytes; of a pipe, its path, and no size. @throws ClearError when there is no such file
 */
export async function csvFile(path: string, stdin: Readable) {
  if (path === '-') return { name: 'standard input', size: undefined, open: async () => stdin };
  const stats = await stat(path).catch((error) => Promise.reject(unreadable(path, error)));
  const [name, size] = stats.isFile() ? [basename(path), stats.size] : [path, undefined];
  const open = async (signal: AbortSignal) => {
    const file = createReadStream(path);
    // Opening a pipe waits until somebody writes to it, which aborting the stream does not end.
    await once(file, 'open', { signal });
    return file;
  };
  return { name, size, open };
}

function unreadable(path: string, error: NodeJS.ErrnoException): ClearError {
  return new ClearError(`${path} cannot be read: ${reasonOf(error)}`);
}

/** The maximum length of a line, in bytes. A valid line takes less than half of this. */
const longestLine = 65_536;

/** Why a line cannot be read. */
class UnreadLine extends Error {}

function quotation(row: string): string {
  const { length } = row.split('\n');
  const lines = length > 1 ? ` (it goes on for ${length} lines)` : '';
  return `a quotation mark is in the wrong place, or not closed${lines}: quote the whole field, and double the quotation mark in it`;
}

/** The columns of a file whose first line names them. */
export interface CsvColumns<Column extends string> {
  /** What each heading means; upper and lower case, blanks, hyphens and underscores in headings make no difference. */
  readonly headings: Readonly<Record<string, Column>>;
  readonly required: readonly NoInfer<Column>[];
  /** Receives the headings that mean nothing here, whose columns are left out; without it they are refused. */
  readonly leaveOut?: ((headings: readonly string[]) => Promise<void> | void) | undefined;
}

/** A row with a value in any column: the number of its first line, from 1, and its fields as they are, or why it cannot be read. */
export type CsvLine<Column extends string> = { readonly line: number } & (
  | { readonly fields: Readonly<Partial<Record<Column, string>>> }
  | { readonly unread: string }
);

/**
 * The lines of a file, each with a character for each byte, with a progress bar. Ends when the command is stopped.
 * @throws ClearError when the file cannot be read; Interrupted
 */
async function* linesOf(call: Call, file: CsvFile): AsyncGenerator<string> {
  const { signal } = call;
  const bar = await call.progress('Reading', file.size);
  let bytes = 0;
  let rest = '';
  try {
    for await (const chunk of addAbortSignal(signal, await file.open(signal))) {
      const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
      rest = bounded(lines.pop() ?? '');
      yield* lines;
      bytes += chunk.length;
      bar.update(bytes);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : unreadable(file.name, error as Error);
  } finally {
    bar.stop();
  }
  if (rest !== '') yield rest;
}

/** Only as much of an endless line as shows that it is too long, and whether it ends within quotation marks. */
function bounded(line: string): string {
  const kept = line.slice(0, longestLine + 1);
  return isQuoteOpen(line) === isQuoteOpen(kept) ? kept : `${kept}"`;
}

const isQuoteOpen = (text: string) => text.includes('"') && text.split('"').length % 2 === 0;

/**
 * The rows of a file, each with the number of its first line: a quotation mark that is not closed goes on in the next line.
 * What lies within it must not be taken for a row.
 */
async function* rowsOf(call: Call, file: CsvFile): AsyncGenerator<[line: number, row: string]> {
  let [line, first] = [0, 1];
  let row: string | undefined;
  let isOpen = false;
  for await (const text of linesOf(call, file)) {
    row = row === undefined ? text : `${row}\n${text}`;
    if (isQuoteOpen(text)) isOpen = !isOpen;
    line += 1;
    if (isOpen && row.length > longestLine) throw new ClearError(`line ${first}: ${quotation(row)}`);
    if (isOpen) continue;
    yield [first, row];
    [first, row] = [line + 1, undefined];
  }
  if (row !== undefined) yield [first, row];
}

const save = 'in a spreadsheet, save it as “CSV UTF-8”';
const notInUtf8 = `the line is not in UTF-8; the file may be in Windows-1252: ${save}`;

/** Files of other kinds: how their first line begins, byte by byte, and what to do with them. */
const otherFiles: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^PK\x03\x04/, `a workbook (.xlsx, .ods) or another ZIP archive: ${save}`],
  [/^\xd0\xcf\x11\xe0/, `an old workbook (.xls): ${save}`],
  [/^(?:\xef\xbb\xbf)?\s*</, `HTML or XML: ${save}`],
  [/^\x1f\x8b/, 'compressed by gzip: decompress it first'],
  [/^(?:\xff\xfe|\xfe\xff|\0|.\0)/s, `in UTF-16, not in UTF-8: ${save}`],
  [/\0/, `no text: ${save}`],
  [/\r[^\r\n]/, `“CSV (Macintosh)”, whose lines end with CR alone: ${save}`],
  [/^\{\\rtf/, `rich text (.rtf): ${save}`],
  [/^(?:\xef\xbb\xbf)?\s*[[{]/, 'JSON: `./campaign-mirror export` writes CSV without --json'],
];

/**
 * The text without the line end, and without the byte order mark with which a file can begin.
 * @throws UnreadLine if it is not UTF-8, or too long
 */
function textOf(line: string): string {
  if (line.length > longestLine) throw new UnreadLine(`the line is longer than ${longestLine} bytes`);
  const bytes = Buffer.from(line, 'latin1');
  if (!isUtf8(bytes)) throw new UnreadLine(notInUtf8);
  return bytes.toString().replace(/^\ufeff|\r+$/g, '');
}

/** The fields of a line of CSV (RFC 4180), or of several lines with line ends between quotation marks. @throws UnreadLine */
function fieldsIn(text: string, delimiter: string): string[] {
  // Most lines have no quotation mark, and take a fraction of the time so.
  if (!text.includes('"')) return text.split(delimiter);
  try {
    return parse(text, { delimiter, relax_column_count: true, record_delimiter: '\n' })[0] ?? [];
  } catch {
    throw new UnreadLine(quotation(text));
  }
}

/**
 * Reads the lines of a CSV file. The header line shows whether commas, semicolons or tabs separate its columns. A line
 * such as `sep=,` before it, which is for spreadsheets, and rows without any value are skipped.
 * @throws ClearError if it is another file or not in UTF-8, or the header does not name the columns
 */
export async function* readCsv<Column extends string>(
  call: Call,
  file: CsvFile,
  columns: CsvColumns<Column>,
): AsyncGenerator<CsvLine<Column>> {
  let header: Header<Column> | undefined;
  for await (const [line, encoded] of rowsOf(call, file)) {
    const other = line === 1 && otherFiles.find(([begins]) => begins.test(encoded));
    if (other) throw new ClearError(`the file is ${other[1]}`);
    try {
      const text = textOf(encoded);
      if (header) {
        const values = fieldsIn(text, header.separator);
        if (values.some((value) => value !== '')) yield { line, fields: fieldsOf(values, header, columns) };
      } else if (!/^(?:"?sep=.*|[,;\t]*)$/i.test(text)) {
        header = await headerOf(text, columns);
      }
    } catch (error) {
      if (!(error instanceof UnreadLine)) throw error;
      if (!header || error.message === notInUtf8) throw new ClearError(`line ${line}: ${error.message}`);
      yield { line, unread: error.message };
    }
  }
  if (!header) throw new ClearError('the file is empty');
}

interface Header<Column> {
  readonly separator: string;
  /** In the order of the file; undefined where a column has no meaning here. */
  readonly columns: readonly (Column | undefined)[];
}

/** @throws UnreadLine if the columns are not clear from it */
async function headerOf<Column extends string>(
  text: string,
  { headings, required, leaveOut }: CsvColumns<Column>,
): Promise<Header<Column>> {
  const unquoted = text.replace(/"[^"]*"/g, '');
  const count = (separator: string) => unquoted.split(separator).length;
  const separator = [',', ';', '\t'].reduce((one, other) => (count(other) > count(one) ? other : one));
  const names = fieldsIn(text, separator).map((name) => name.trim());
  const meanings = new Map(Object.entries(headings).map(([name, column]) => [squeezed(name), column]));
  const columns = names.map((name) => meanings.get(squeezed(name)));
  const others = names.filter((name, at) => name !== '' && !columns[at]);
  const lacking = required.find((column) => !columns.includes(column));
  const repeated = columns.find((column, at) => column && columns.indexOf(column) !== at);
  let fault: string | undefined;
  if (lacking) fault = `it lacks the column ${lacking}`;
  else if (repeated) fault = `it names the column ${repeated} twice`;
  else if (others.length > 0 && !leaveOut)
    fault = `it has unknown columns, which --ignore-columns leaves out: ${named(others)}`;
  if (fault) {
    throw new UnreadLine(
      `${fault}. The first line must name ${required.join(' and ')}, and may name, in any order: ` +
        `${[...new Set(meanings.values())].join(',')}; commas, semicolons or tabs separate them`,
    );
  }
  if (others.length > 0) await leaveOut?.(others);
  return { separator, columns };
}

const squeezed = (heading: string) => heading.toLowerCase().replace(/[\s_-]+/g, '');

/** Such as `"Notes", "Hits"`. */
export const named = (headings: readonly string[]) => `"${headings.join('", "').slice(0, 200)}"`;

/** A line that was cut off looks the same, so what lacks is not taken for empty. */
const fewer = 'Excel leaves out last columns that are empty: put one last that is filled in each line';

/** @throws UnreadLine if the line has more or fewer fields, or a value in a column without a heading */
function fieldsOf<Column extends string>(
  values: readonly string[],
  { columns }: Header<Column>,
  { leaveOut }: CsvColumns<Column>,
): Partial<Record<Column, string>> {
  if (values.length !== columns.length) {
    const isLonger = values.length > columns.length;
    const remedy = isLonger ? 'quote a field that contains the separator' : fewer;
    throw new UnreadLine(
      `the line has ${counted(values.length, 'field')}, but the header has ${columns.length}: ${remedy}`,
    );
  }
  const fields: Partial<Record<Column, string>> = {};
  for (const [at, value] of values.entries()) {
    const column = columns[at];
    if (column) fields[column] = value;
    else if (value !== '' && !leaveOut)
      throw new UnreadLine(`the field ${at + 1} has no heading, but a value`);
  }
  return fields;
}
