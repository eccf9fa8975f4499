import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { ClearError, escaped, jsonOf, printable, printableLines } from './errors.ts';

/** A stream that a command writes to, and whether it is a terminal. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
}

/** A value in a table for people; null is a missing value. */
export type Cell = string | number | boolean | null;

export interface Column<Row> {
  readonly head: string;
  readonly right?: boolean;
  cell(row: Row): Cell;
}

/** How rows are printed. */
export interface Listing<Row> {
  /** The JSON output, one object a line; the record itself by default. */
  object?(row: Row): object;
  readonly columns: readonly Column<Row>[];
  /** The text for people when there are no rows. */
  readonly none: string;
}

/** The number of rows of a table that are drawn together, which bounds memory. */
const drawnTogether = 500;

/**
 * The output of a call: the answer on standard output, messages for people on standard error. Characters that control a
 * terminal or mislead a reader, above all in names of campaigns, are printed as their code points, and escaped in JSON.
 * Each call resolves when its text was written, so that no data accumulates behind a slow reader.
 */
export class Output {
  /** Set by `--json`: answers are JSON, one object a line. */
  json = false;
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  /** The error after which standard output takes no more data. */
  #fault: NodeJS.ErrnoException | null | undefined;

  constructor(stdout: OutputStream, stderr: OutputStream) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  /** Whether the reader of standard output has stopped, as after `| head -1`. */
  get isReaderGone(): boolean {
    return Boolean(this.#fault);
  }

  /** Text without escaping, for data that must be read back unchanged. */
  async write(text: string): Promise<void> {
    this.#fault ??= await written(this.#stdout, text);
  }

  print(lines: string): Promise<void> {
    return this.write(`${printableLines(lines)}\n`);
  }

  /** A JSON object, on a line of standard output. */
  object(object: object): Promise<void> {
    return this.write(`${escaped(JSON.stringify(object))}\n`);
  }

  /** One JSON object, or a sentence for people. */
  answer(object: object, sentence: string): Promise<void> {
    return this.json ? this.object(object) : this.print(sentence);
  }

  /** Lines for people, on standard error. */
  async note(lines: string): Promise<void> {
    if (lines !== '') await written(this.#stderr, `${printableLines(lines)}\n`);
  }

  /** Whether all output was written, for data that cannot be printed again. */
  async isWritten(): Promise<boolean> {
    await this.write('');
    return !this.isReaderGone;
  }

  /** Ends a command's output. @throws ClearError when output could not be written, unless its reader has stopped */
  async allWritten(): Promise<void> {
    if ((await this.isWritten()) || this.#fault?.code === 'EPIPE') return;
    throw new ClearError(
      `standard output cannot be written (${this.#fault?.code}): the output is incomplete, but the command is done`,
    );
  }

  /** Rows as a table for people, or each as a line of JSON; stops when the reader stops. Returns the number of rows. */
  async list<Row extends object>(
    rows: AsyncIterable<Row> | Iterable<Row>,
    { object = jsonOf, columns, none }: Listing<Row>,
  ): Promise<number> {
    const draw = this.#table(columns);
    let count = 0;
    let waiting: Row[] = [];
    for await (const row of rows) {
      if (this.isReaderGone) break;
      count += 1;
      if (this.json) await this.object(object(row));
      else if (waiting.push(row) === drawnTogether) {
        await draw(waiting);
        waiting = [];
      }
    }
    if (waiting.length > 0) await draw(waiting);
    if (count === 0 && !this.json) await this.note(none);
    return count;
  }

  /** For rows that come one by one, without an end: prints each at once, as `list` does. */
  rowPrinter<Row extends object>(columns: readonly Column<Row>[]) {
    const draw = this.#table(columns);
    return (row: Row): Promise<void> => (this.json ? this.object(jsonOf(row)) : draw([row]));
  }

  /** The fields of one object, one a line. */
  async fields(fields: readonly (readonly [name: string, value: Cell])[]): Promise<void> {
    const rows = fields.map(([name, value]) => [this.#bold(name), cellText(value)]);
    await this.write(`${(await tableLines(rows, [])).join('\n')}\n`);
  }

  /** Draws rows of one table, some at a time: its heads are printed once, and its columns never get narrower. */
  #table<Row>(columns: readonly Column<Row>[]) {
    const widths = columns.map(({ head }) => head.length);
    const aligns = columns.map(({ right }) => (right ? 'right' : 'left'));
    let isBegun = false;
    return async (rows: readonly Row[]): Promise<void> => {
      const texts = rows.map((row) => columns.map(({ cell }) => cellText(cell(row))));
      const heads = columns.map(({ head }, at) => this.#bold(head.padEnd(widths[at] ?? 0)));
      // The heads keep the columns as wide as they were before.
      const lines = await tableLines([heads, ...texts], aligns);
      await this.write(`${lines.slice(Number(isBegun)).join('\n')}\n`);
      isBegun = true;
      for (const row of texts)
        for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
    };
  }

  /** In a terminal only, unless the environment says otherwise. */
  #bold(text: string): string {
    return styleText('bold', text, { stream: this.#stdout });
  }
}

async function tableLines(rows: string[][], colAligns: ('left' | 'right')[]): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };
  const table = new Table({ chars: noFrame, colAligns, style });
  table.push(...rows);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}

/** The characters of cli-table3 between the columns and around the table. */
const frame = 'top top-left top-mid top-right left right bottom bottom-left bottom-mid bottom-right'.split(
  ' ',
);
const noFrame = { ...Object.fromEntries(frame.map((part) => [part, ''])), middle: '  ' };

function cellText(value: Cell): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null ? '-' : printable(String(value));
}

/** Resolves when the text was written, with the error if there was one. */
function written(stream: OutputStream, text: string): Promise<Error | null | undefined> {
  return new Promise((resolve) => stream.write(text, resolve));
}
