import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { addAbortSignal, pipeline } from 'node:stream';
import { type CsvError, type Parser, parse } from 'csv-parse';
import type { Call } from './call.ts';
import { ClearError, counted, reasonOf } from './errors.ts';

/** The name of a file without its folders; `standard input` for `-`. */
export const sourceName = (path: string) => (path === '-' ? 'standard input' : basename(path));

/** Distinguishes files of the same name. */
export const contentDigest = () => createHash('sha256');

/** The columns of a file whose first line names them. */
export interface CsvColumns<Column extends string> {
  /** The column of each heading; null: ignored. Case, blanks, hyphens and underscores make no difference. */
  readonly headings: Readonly<Record<string, Column | null>>;
  readonly required: readonly NoInfer<Column>[];
  /** Whether columns with other headings are ignored, with a notice; otherwise they are refused. */
  readonly ignoreOthers: boolean;
}

/** A row with the number of its first line, from 1: its fields, or why it is invalid. */
export type CsvLine<Column extends string> = { readonly line: number } & (
  | { readonly fields: Readonly<Partial<Record<Column, string>>>; readonly invalid?: undefined }
  | { readonly fields?: undefined; readonly invalid: string }
);

/** In bytes, far more than a valid row. An unclosed quotation mark must not fill the memory. */
const longestRow = 1_000_000;
const quotation =
  'a quotation mark is in the wrong place, or not closed: quote the whole field, and double the quotation mark in it';

/** A number of CSV without the `.0` that programs write in a column with gaps. */
export const whole = (text: string) => text.replace(/\.0$/, '');

/** Begins the reason for refusing a value; hides the end of a long text, and a possible password. */
export const valueIs = (text = '') =>
  `it is ${JSON.stringify(text.replace(/.*@.*|(?<=^.{50}).+/su, '…'))}, and`;

export const notANumber = (min: number) =>
  `must be a whole number from ${min} to 9007199254740991, in digits alone`;

/**
 * Reads the rows of a CSV file, or of standard input for `-`, with a progress bar. The first line shows the separator.
 * Empty rows and a first line such as `sep=,` are skipped. @throws ClearError for an invalid file; Interrupted
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
  /** The last line of the last row. */
  let end = 0;
  const parser: Parser = parse({
    delimiter: ['\t', ';'].find((separator) => firstLine.includes(separator)) ?? ',',
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: longestRow,
    relax_column_count: true,
    skip_records_with_empty_values: true,
    skip_records_with_error: true,
    columns: (names) => columnsOf(call, names, parser.info.lines, columns),
    on_record: (fields, { lines, error, index }) => {
      end = lines;
      // A quoted field can have several lines.
      const line = lines + 1 - String(Object.values(fields as object)).split(/[\r\n]/).length;
      return (error ? { line, invalid: miscounted(index, parser) } : { line, fields }) as never;
    },
    on_skip: (error) => {
      const { code, lines } = error as CsvError & { readonly lines: number };
      // After any other error it is unknown where the next row begins.
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

/** Missing last fields are not added, since a truncated line looks the same. */
function miscounted(count: number, { options }: Parser): string {
  const { length } = options.columns as readonly unknown[];
  const fewer = 'Excel leaves out last columns that are empty: put one last that is filled in each line';
  const remedy = count > length ? 'quote a field that contains the separator' : fewer;
  return `the line has ${counted(count, 'field')}, but the header has ${length}: ${remedy}`;
}

/** Maps the header to columns. @throws ClearError if a column is missing, repeated or unknown */
function columnsOf<Column extends string>(
  call: Call,
  names: readonly string[],
  line: number,
  { headings, required, ignoreOthers }: CsvColumns<Column>,
) {
  const squeezed = (heading: string) => heading.toLowerCase().replace(/[\s_-]+/g, '');
  const known = new Map(Object.entries(headings).map(([name, column]) => [squeezed(name), column]));
  const found = names.map((name) => known.get(squeezed(name)));
  const others = names.map((name) => name.trim()).filter((name, at) => name && found[at] === undefined);
  const quoted = `"${others.join('", "').slice(0, 200)}"`;
  const lacking = required.find((column) => !found.includes(column));
  const repeated = found.find((column, at) => column && found.indexOf(column) !== at);
  const refused = (fault: string) =>
    new ClearError(
      `line ${line}: ${fault}. The first line must name ${required.join(' and ')}, and may name, in any order: ` +
        `${[...new Set(known.values())].filter(Boolean)}; commas, semicolons or tabs separate them`,
    );
  if (lacking) throw refused(`it lacks the column ${lacking}`);
  if (repeated) throw refused(`it names the column ${repeated} twice`);
  if (others.length > 0 && !ignoreOthers)
    throw refused(`it has unknown columns, which --ignore-columns leaves out: ${quoted}`);
  if (others.length > 0) call.output.notice(`Left out: the columns ${quoted}.`);
  return found;
}

/** Reads UTF-8 or UTF-16 (Excel's “Unicode text”). CR LF, which csv-parse counts as two lines, becomes LF. */
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

/**
 * Writes a file that only its owner can read, under a temporary name, and renames it when all of it is on the disk.
 * @throws ClearError if the file cannot be written, or exists without `replace`; the errors of `fill`
 */
export async function writeNewFile<T>(
  path: string,
  replace: boolean,
  fill: (write: (chunk: Uint8Array) => Promise<true>) => Promise<T>,
): Promise<T> {
  const temporary = join(dirname(path), `unfinished-${randomUUID()}`);
  const refuseTaken = async () => {
    const existing = await lstat(path).catch(() => undefined);
    if (existing && !replace)
      throw new ClearError(`${path} exists: --force replaces it, or name another file`);
    if (existing && !existing.isFile()) throw new ClearError(`${path} is not a file: name another one`);
  };
  try {
    await refuseTaken();
    await using file = await open(temporary, 'wx', 0o600);
    const filled = await fill((chunk) => file.writeFile(chunk).then(() => true as const));
    await file.sync();
    await refuseTaken();
    await rename(temporary, path);
    return filled;
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    throw syscall ? new ClearError(`${path} cannot be written: ${reasonOf(error as Error)}`) : error;
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
}
