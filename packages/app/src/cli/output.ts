import { styleText } from 'node:util';
import Table from 'cli-table3';
import { ClearError } from '../clear-error.ts';

/** Set when standard output takes nothing any more. */
let readerIsGone = false;
/** Why, where it is not that its reader has seen enough. */
let unwritten: NodeJS.ErrnoException | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  readerIsGone = true;
  if (error.code !== 'EPIPE') unwritten ??= error;
});
let nobodyIsTold = false;
process.stderr.on('error', () => {
  nobodyIsTold = true;
});

/** Whether nobody reads our standard output any more, as after `| head -1`: then there is nothing more to list. */
export function isReaderGone(): boolean {
  return readerIsGone;
}

/** One line on standard output; resolves when it was taken, so that nothing piles up behind a slow reader. */
export function print(line: string): Promise<void> {
  return write(`${line}\n`);
}

/** The same with text as it is. */
export async function write(text: string): Promise<void> {
  if (!readerIsGone) await taken(process.stdout, text);
}

/** For the end of a command. @throws ClearError when not all that was printed could be written, though it was wanted */
export async function allWritten(): Promise<void> {
  await isTaken();
  if (unwritten === undefined) return;
  throw new ClearError(
    `standard output can not be written (${unwritten.code}): what it holds is not whole; the command itself is done`,
  );
}

/** `tell` for what may be many lines. */
export async function tellInTurn(line: string): Promise<void> {
  if (!nobodyIsTold) await taken(process.stderr, `${line}\n`);
}

function taken(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (stream.write(text, () => resolve())) resolve();
  });
}

/** Whether all that was printed could be written, for what can not be shown again. */
export function isTaken(): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write('', (error) => resolve(!error && !readerIsGone)));
}

/** One line for people, beside the answer: on standard error. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** One object for programs, or a sentence for people. */
export function answer(json: boolean | undefined, object: object, sentence: string): Promise<void> {
  return print(json ? JSON.stringify(object) : sentence);
}

export interface Column<Row> {
  readonly head: string;
  readonly right?: boolean;
  cell(row: Row): string | number | null;
}

export interface Listing<Row> {
  readonly json: boolean | undefined;
  /** For programs, one a line. */
  object(row: Row): object;
  readonly columns: readonly Column<Row>[];
  /** What people read where there is no row. */
  readonly none: string;
}

/** So many rows are laid out together. */
const together = 500;

/** A table for people, or a line of JSON for each row; ends early where nobody reads on. Tells how many there were. */
export async function list<Row>(
  rows: AsyncIterable<Row> | Iterable<Row>,
  listing: Listing<Row>,
): Promise<number> {
  let count = 0;
  let page: Row[] = [];
  for await (const row of rows) {
    if (readerIsGone) break;
    count += 1;
    if (listing.json) await print(JSON.stringify(listing.object(row)));
    else if (page.push(row) === together) {
      await print(table(page, listing.columns));
      page = [];
    }
  }
  if (page.length > 0) await print(table(page, listing.columns));
  if (count === 0 && !listing.json) tell(listing.none);
  return count;
}

/** The fields of one thing, one a line. */
export function fields(rows: readonly (readonly [name: string, value: string | number | null])[]): string {
  const lines = layout();
  for (const [name, value] of rows) lines.push([emphasised(name), printable(value)]);
  return trimmed(lines);
}

function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const lines = layout(columns.map(({ right }) => (right ? 'right' : 'left')));
  lines.push(columns.map(({ head }) => emphasised(head)));
  for (const row of rows) lines.push(columns.map(({ cell }) => printable(cell(row))));
  return trimmed(lines);
}

function layout(colAligns: ('left' | 'right')[] = []) {
  const lines = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
    side,
    ...['mid', 'left', 'right'].map((corner) => `${side}-${corner}`),
  ]);
  const chars = { ...Object.fromEntries(lines.map((name) => [name, ''])), middle: '  ' };
  return new Table({
    chars,
    colAligns,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
}

function trimmed(lines: InstanceType<typeof Table>): string {
  return lines.toString().replace(/[ \t]+$/gm, '');
}

/** Only in a terminal, and not with NO_COLOR. */
function emphasised(text: string): string {
  return styleText('bold', text, { stream: process.stdout, validateStream: true });
}

/** What would steer a terminal, or mislead its reader, is shown by its code point. */
export function printable(value: string | number | null): string {
  if (value === null) return '-';
  return String(value).replace(
    /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`,
  );
}
