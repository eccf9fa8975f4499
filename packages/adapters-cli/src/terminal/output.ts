import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { ClearError, escaped, jsonOf, printable, printableLines } from './errors.ts';

export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
}

/** How records are listed: in JSON with all fields, for people as a table. */
export interface Listing {
  /** The fields in the table, by their names in JSON, such as `mirror.target_url`. */
  readonly columns: readonly string[];
  /** The text for a missing value of a field; `-` by default. */
  readonly missing?: Readonly<Record<string, string>>;
  /** The text for people if there are no records. The function may throw instead. */
  readonly none: string | (() => Promise<string>);
}

/** The number of table rows that are drawn together, which bounds memory. */
const drawBatch = 500;

/**
 * The output of a call: the answer on standard output, messages for people on standard error. Characters that control a
 * terminal or mislead a reader are replaced by their code points, and escaped in JSON. Each method resolves when its
 * text is written, so a slow reader does not fill the memory.
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

  /** Writes text without escaping, for data that must be read back unchanged. */
  async write(text: string): Promise<void> {
    this.#fault ??= await written(this.#stdout, text);
  }

  print(lines: string): Promise<void> {
    return this.write(`${printableLines(lines)}\n`);
  }

  object(object: object): Promise<void> {
    return this.write(`${escaped(JSON.stringify(object))}\n`);
  }

  /** Prints a JSON object, or a sentence for people. */
  answer(object: object, sentence: string): Promise<void> {
    return this.json ? this.object(object) : this.print(sentence);
  }

  /** Prints lines for people on standard error. */
  async notice(lines: string): Promise<void> {
    if (lines !== '') await written(this.#stderr, `${printableLines(lines)}\n`);
  }

  /** Whether all output was written, for data that cannot be printed again. */
  async isWritten(): Promise<boolean> {
    await this.write('');
    return !this.isReaderGone;
  }

  /** Ends a command's output. @throws ClearError if output could not be written, unless its reader has stopped */
  async allWritten(): Promise<void> {
    if ((await this.isWritten()) || this.#fault?.code === 'EPIPE') return;
    throw new ClearError(
      `standard output cannot be written (${this.#fault?.code}): the output is incomplete, but the command is done`,
    );
  }

  /** Prints records until the reader stops; a table in batches of `batch` rows. Returns their number. */
  async list<Row extends object>(
    rows: AsyncIterable<Row> | Iterable<Row>,
    { columns, missing = {}, none }: Listing,
    batch = drawBatch,
  ): Promise<number> {
    const heads = columns.map((column) => column.split('.').at(-1) ?? '');
    const widths = heads.map(() => 0);
    let count = 0;
    let waiting: unknown[][] = [];
    const draw = async () => {
      const aligns = heads.map((_, at) =>
        waiting.some((row) => typeof row[at] === 'number') ? 'right' : 'left',
      );
      const texts = waiting.map((row) =>
        row.map((value, at) => cellText(value ?? missing[columns[at] ?? ''])),
      );
      // The heads, padded to the widths of earlier batches, keep the columns aligned; they are printed once.
      const padded = heads.map((head, at) => this.#bold(head.padEnd(widths[at] ?? 0)));
      const lines = await tableLines([padded, ...texts], aligns);
      for (const row of texts)
        for (const [at, text] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, text.length);
      await this.write(`${lines.slice(count > waiting.length ? 1 : 0).join('\n')}\n`);
      waiting = [];
    };
    for await (const row of rows) {
      if (this.isReaderGone) break;
      count += 1;
      if (this.json) await this.object(jsonOf(row));
      else if (waiting.push(columns.map((column) => valueAt(jsonOf(row), column))) === batch) await draw();
    }
    if (waiting.length > 0) await draw();
    if (count > 0) return count;
    const text = typeof none === 'string' ? none : await none();
    if (!this.json) await this.notice(text);
    return count;
  }

  async fields(record: object): Promise<void> {
    const rows = Object.entries(record).map(([name, value]) => [this.#bold(name), cellText(value)]);
    await this.write(`${(await tableLines(rows, [])).join('\n')}\n`);
  }

  /** Bold in a terminal, unless the environment says otherwise. */
  #bold(text: string): string {
    return styleText('bold', text, { stream: this.#stdout });
  }
}

/** The characters of cli-table3 around the table. */
const frame = 'top top-left top-mid top-right left right bottom bottom-left bottom-mid bottom-right';
const chars = { ...Object.fromEntries(frame.split(' ').map((part) => [part, ''])), middle: '  ' };

async function tableLines(rows: string[][], colAligns: ('left' | 'right')[]): Promise<string[]> {
  const { default: Table } = await import('cli-table3');
  const style = { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true };
  const table = new Table({ chars, colAligns, style });
  table.push(...rows);
  return table.toString().replace(/ +$/gm, '').split('\n');
}

const valueAt = (record: object, path: string) =>
  path.split('.').reduce<unknown>((value, name) => Object(value)[name], record);

/** The text of a value; of a record such as `owner_id_before: 42, name: "Summer"`, without missing fields. */
function cellText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return cellText(value.join(','));
  if (typeof value !== 'object') return printable(String(value ?? '-'));
  const fields = Object.entries(value ?? {}).filter(([, item]) => item !== null);
  const texts = fields.map(([name, item]) => `${name}: ${JSON.stringify(item)}`);
  return printable(texts.join(', ') || '-');
}

/** Resolves when the text is written, with the error if there is one. */
function written(stream: OutputStream, text: string): Promise<Error | null | undefined> {
  return new Promise((resolve) => stream.write(text, resolve));
}
