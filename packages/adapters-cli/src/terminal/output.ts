import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { ClearError, escaped, jsonOf, printable, printableLines } from './errors.ts';

/** A stream that a command writes to, and whether it is a terminal. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
}

/** What a table shows for people; null is a missing value. */
export type Cell = string | number | boolean | null;

/** A column of a table for people. */
export interface Column<Row> {
  readonly head: string;
  readonly right?: boolean;
  /** What the column shows of a row. */
  cell(row: Row): Cell;
}

/** How rows are shown: in JSON, or as a table for people. */
export interface Listing<Row> {
  readonly json: boolean | undefined;
  /** The JSON output, one object a line; the record itself by default. */
  object?(row: Row): object;
  readonly columns: readonly Column<Row>[];
  /** The text for people when there are no rows. */
  readonly none: string;
}

/** The number of rows that are laid out together. */
const together = 500;

/**
 * The output of a call: the answer on standard output, messages for people on standard error. Characters that control a
 * terminal or mislead a reader, above all in names of campaigns, are shown by their code points, and escaped in JSON.
 * Each call resolves when its text was taken, so that no data accumulates behind a slow reader.
 */
export class Output {
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  /** Why standard output takes no more data. */
  #fault: NodeJS.ErrnoException | null | undefined;

  constructor(stdout: OutputStream, stderr: OutputStream) {
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  /** Whether the reader of standard output has stopped, as after `| head -1`: then listing stops too. */
  get isReaderGone(): boolean {
    return Boolean(this.#fault);
  }

  /** Text without escaping, for data that must be read back unchanged. */
  async write(text: string): Promise<void> {
    this.#fault ??= await taken(this.#stdout, text);
  }

  /** Lines on standard output. */
  print(lines: string): Promise<void> {
    return this.write(`${printableLines(lines)}\n`);
  }

  /** The same for a JSON object. */
  object(object: object): Promise<void> {
    return this.write(`${escaped(JSON.stringify(object))}\n`);
  }

  /** One JSON object, or a sentence for people. */
  answer(json: boolean | undefined, object: object, sentence: string): Promise<void> {
    return json ? this.object(object) : this.print(sentence);
  }

  /** Lines for people, on standard error. */
  async note(lines: string): Promise<void> {
    if (lines !== '') await taken(this.#stderr, `${printableLines(lines)}\n`);
  }

  /** Whether all output was written, for data that cannot be shown again. */
  async isTaken(): Promise<boolean> {
    await this.write('');
    return !this.isReaderGone;
  }

  /** Ends a command's output. @throws ClearError when some of the output was still wanted and could not be written */
  async allWritten(): Promise<void> {
    if ((await this.isTaken()) || this.#fault?.code === 'EPIPE') return;
    throw new ClearError(
      `standard output cannot be written (${this.#fault?.code}): what it holds is not whole; the command itself is done`,
    );
  }

  /**
   * A table for people, or a line of JSON for each row; stops when the reader stops. Returns the number of rows. The
   * columns never get narrower within a table.
   */
  async list<Row extends object>(
    rows: AsyncIterable<Row> | Iterable<Row>,
    listing: Listing<Row>,
  ): Promise<number> {
    const { json, object = (row) => jsonOf(row), columns, none } = listing;
    const aligns = columns.map(({ right }) => (right ? 'right' : 'left'));
    const widths = columns.map(({ head }) => head.length);
    const table = async (page: Row[]) => {
      const cells = page.map((row) => columns.map(({ cell }) => cellText(cell(row))));
      for (const row of cells)
        for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
      // The first line is one of these widths, and is not shown.
      const ruler = widths.map((width) => '-'.repeat(width));
      const heads = count <= together ? [columns.map(({ head }) => this.#bold(head))] : [];
      await this.#table([ruler, ...heads, ...cells], aligns, 1);
    };
    let count = 0;
    let page: Row[] = [];
    for await (const row of rows) {
      if (this.isReaderGone) break;
      count += 1;
      if (json) await this.object(object(row));
      else if (page.push(row) === together) {
        await table(page);
        page = [];
      }
    }
    if (page.length > 0) await table(page);
    if (count === 0 && !json) await this.note(none);
    return count;
  }

  /** The fields of one object, one a line. */
  fields(fields: readonly (readonly [name: string, value: Cell])[]): Promise<void> {
    return this.#table(fields.map(([name, value]) => [this.#bold(name), cellText(value)]));
  }

  async #table(lines: string[][], colAligns: ('left' | 'right')[] = [], hidden = 0): Promise<void> {
    const { default: Table } = await import('cli-table3');
    const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [] };
    const table = new Table({ chars: noFrame, colAligns, style });
    table.push(...lines);
    const text = table.toString().replace(/[ \t]+$/gm, '');
    await this.write(`${text.split('\n').slice(hidden).join('\n')}\n`);
  }

  /** In a terminal only, unless the environment says otherwise. */
  #bold(text: string): string {
    return styleText('bold', text, { stream: this.#stdout });
  }
}

const noFrame = {
  ...Object.fromEntries(
    ['top', 'bottom', 'left', 'right', 'mid']
      .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
      .map((part) => [part, '']),
  ),
  middle: '  ',
};

function cellText(value: Cell): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value === null ? '-' : printable(String(value));
}

/** Resolves with the error if there was one. */
function taken(stream: OutputStream, text: string): Promise<Error | null | undefined> {
  return new Promise((resolve) => stream.write(text, resolve));
}
