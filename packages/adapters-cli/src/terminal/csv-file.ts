import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { addAbortSignal, pipeline } from 'node:stream';
import { type CsvError, type Parser, parse } from 'csv-parse';
import type { Call } from './call.ts';
import { ClearError, counted, reasonOf } from './errors.ts';

/** The name of a file without its folders; `standard input` for `-`. */
export const sourceName = (path: string) => (path === '-' ? 'standard input' : basename(path));

/** What two files of the same name are told apart by. */
export const contentDigest = () => createHash('sha256');

/** The columns of a file whose first line names them. */
export interface CsvColumns<Column extends string> {
  /** What each heading means; null: nothing. Case, blanks, hyphens and underscores make no difference. */
  readonly headings: Readonly<Record<string, Column | null>>;
  readonly required: readonly NoInfer<Column>[];
  /** Whether columns with other headings are left out, which is noted; otherwise they are refused. */
  readonly ignoreOthers: boolean;
}

/** A row by the number of its first line, from 1: its fields as they are, or why it is invalid. */
export type CsvLine<Column extends string> = { readonly line: number } & (
  | { readonly fields: Readonly<Partial<Record<Column, string>>>; readonly invalid?: undefined }
  | { readonly fields?: undefined; readonly invalid: string }
);

/** In bytes, far more than a valid row takes: a quotation mark that is not closed does not fill the memory. */
const longestRow = 1_000_000;
const quotation =
  'a quotation mark is in the wrong place, or not closed: quote the whole field, and double the quotation mark in it';

/**
 * The rows of a CSV file, or of standard input for `-`, with a progress bar. The first line shows whether tabs,
 * semicolons or commas separate the columns. Rows without any value, and a first line such as `sep=,`, are skipped.
 * @throws ClearError if the file is not text, the header does not name the columns, or a row does not end; Interrupted
 */
export async function* readCsv<Column extends string>(
  call: Call,
  path: string,
  columns: CsvColumns<Column>,
): AsyncGenerator<CsvLine<Column>> {
  const text = textOf(call, path);
  let head = '';
  while (head.trim() === '') {
    const { done, value } = await text.next();
    if (done) throw new ClearError('the file is empty: its first line must name the columns');
    head += value;
  }
  const [firstLine = ''] = head.trimStart().split('\n', 1);
  /** Where the last row ends. */
  let end = 0;
  const parser: Parser = parse({
    delimiter: ['\t', ';'].find((separator) => firstLine.includes(separator)) ?? ',',
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: longestRow,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    columns: (names) => meaningsOf(call, names, parser.info.lines, columns),
    on_record: (fields, { lines, error, index }) => {
      end = lines;
      // A quoted field can go on for several lines.
      const line = lines + 1 - String(Object.values(fields as object)).split(/[\r\n]/).length;
      return (error ? { line, invalid: miscounted(index, parser) } : { line, fields }) as never;
    },
    on_skip: (error) => {
      const { code, lines } = error as CsvError & { readonly lines: number };
      // Only then is it sure where the next row begins.
      if (code !== 'INVALID_OPENING_QUOTE') throw new ClearError(`line ${end + 1}: ${quotation}`);
      if (lines > end) parser.push({ line: lines, invalid: quotation });
      end = lines;
    },
  });
  const rest = async function* () {
    yield head.replace(/^"?sep=.*/i, '');
    yield* text;
  };
  yield* pipeline(rest, parser, () => {});
}

/** A line that was cut off looks the same as one whose last fields are empty, so these are not added. */
function miscounted(count: number, { options }: Parser): string {
  const { length } = options.columns as readonly unknown[];
  const fewer = 'Excel leaves out last columns that are empty: put one last that is filled in each line';
  const remedy = count > length ? 'quote a field that contains the separator' : fewer;
  return `the line has ${counted(count, 'field')}, but the header has ${length}: ${remedy}`;
}

/** What the columns mean whose names are in this line, in their order. @throws ClearError if that is not clear */
function meaningsOf<Column extends string>(
  call: Call,
  names: readonly string[],
  line: number,
  { headings, required, ignoreOthers }: CsvColumns<Column>,
) {
  const squeezed = (heading: string) => heading.toLowerCase().replace(/[\s_-]+/g, '');
  const known = new Map(Object.entries(headings).map(([name, column]) => [squeezed(name), column]));
  const meanings = names.map((name) => known.get(squeezed(name)));
  const others = names.map((name) => name.trim()).filter((name, at) => name && meanings[at] === undefined);
  const quoted = `"${others.join('", "').slice(0, 200)}"`;
  const lacking = required.find((column) => !meanings.includes(column));
  const repeated = meanings.find((column, at) => column && meanings.indexOf(column) !== at);
  let fault: string | undefined;
  if (lacking) fault = `it lacks the column ${lacking}`;
  else if (repeated) fault = `it names the column ${repeated} twice`;
  else if (others.length > 0 && !ignoreOthers)
    fault = `it has unknown columns, which --ignore-columns leaves out: ${quoted}`;
  if (fault) {
    throw new ClearError(
      `line ${line}: ${fault}. The first line must name ${required.join(' and ')}, and may name, in any order: ` +
        `${[...new Set(known.values())].filter(Boolean)}; commas, semicolons or tabs separate them`,
    );
  }
  if (others.length > 0) call.output.note(`Left out: the columns ${quoted}.`);
  return meanings;
}

/** The text of a file in UTF-8 or, as Excel's “Unicode text”, UTF-16. CR LF, which csv-parse counts twice, is LF. */
async function* textOf(call: Call, path: string): AsyncGenerator<string> {
  const { signal } = call;
  const name = path === '-' ? sourceName(path) : path;
  const size = (await stat(path).catch(() => undefined))?.size || undefined;
  const bar = await call.progress('Reading', size);
  let decoder: TextDecoder | undefined;
  let bytes = 0;
  let rest = '';
  try {
    for await (const chunk of addAbortSignal(signal, path === '-' ? call.stdin : createReadStream(path))) {
      const isWide = chunk[0] === 0xff || chunk[1] === 0;
      decoder ??= new TextDecoder(isWide ? 'utf-16le' : 'utf-8', { fatal: true });
      const text = rest + decoder.decode(chunk, { stream: true });
      rest = text.endsWith('\r') ? '\r' : '';
      yield text.slice(0, text.length - rest.length).replaceAll('\r\n', '\n');
      bytes += chunk.length;
      bar.update(bytes);
    }
    yield rest + (decoder?.decode() ?? '');
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof TypeError)
      throw new ClearError(`${name} is not in UTF-8: save it as “CSV UTF-8” (PowerShell: -Encoding utf8)`);
    throw new ClearError(`${name} cannot be read: ${reasonOf(error as Error)}`);
  } finally {
    bar.stop();
  }
}
