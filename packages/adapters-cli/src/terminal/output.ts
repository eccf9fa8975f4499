import type { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { ClearError } from './clear-error.ts';
import { escaped, printableLines } from './escapes.ts';
import type { Column, Field } from './table.ts';

/** A stream that a command writes to, and whether it is a terminal. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface Streams {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
}

/** How rows are shown: in JSON, or as a table for people. */
export interface Listing<Row> {
  readonly json: boolean | undefined;
  /** The JSON output, one object a line. */
  object(row: Row): object;
  readonly columns: readonly Column<Row>[];
  /** The text for people when there are no rows. */
  readonly none: string;
}

/** The number of rows in one table layout. */
const together = 500;

/**
 * The output of a call: the answer on standard output, messages for people on standard error. Characters that control a
 * terminal or mislead a reader, above all in names of campaigns, are shown by their code points, and escaped in JSON.
 */
export class Output {
  readonly #streams: Streams;
  /** Set when standard output accepts no more data. */
  #readerIsGone = false;
  /** The cause, unless the reader simply stopped reading. */
  #unwritten: NodeJS.ErrnoException | undefined;
  #nobodyIsTold = false;

  constructor(streams: Streams) {
    this.#streams = streams;
    streams.stdout.on('error', this.#onRefused);
    streams.stderr.on('error', this.#onUntold);
  }

  readonly #onRefused = (error: NodeJS.ErrnoException) => {
    this.#readerIsGone = true;
    if (error.code !== 'EPIPE') this.#unwritten ??= error;
  };

  readonly #onUntold = () => {
    this.#nobodyIsTold = true;
  };

  /** Removes our listeners from the streams. */
  letGo(): void {
    this.#streams.stdout.off('error', this.#onRefused);
    this.#streams.stderr.off('error', this.#onUntold);
  }

  /** Whether the reader of standard output has stopped, as after `| head -1`: then listing stops too. */
  get isReaderGone(): boolean {
    return this.#readerIsGone;
  }

  /** Whether a person reads the answer. */
  get isTerminal(): boolean {
    return this.#streams.stdout.isTTY === true;
  }

  /** One line on standard output; resolves when it was accepted, so that no data accumulates behind a slow reader. */
  print(line: string): Promise<void> {
    return this.write(`${printableLines(line)}\n`);
  }

  /** The same for a JSON object. */
  object(object: object): Promise<void> {
    return this.write(`${escaped(JSON.stringify(object))}\n`);
  }

  /** Text without escaping, for data that must be read back unchanged. */
  async write(text: string): Promise<void> {
    if (!this.#readerIsGone) await taken(this.#streams.stdout, text);
  }

  /** The same, without waiting. */
  say(text: string): void {
    this.#streams.stdout.write(text);
  }

  /** Ends a command's output. @throws ClearError when some of the output was still wanted and could not be written */
  async allWritten(): Promise<void> {
    await this.isTaken();
    if (this.#unwritten === undefined) return;
    throw new ClearError(
      `standard output cannot be written (${this.#unwritten.code}): what it holds is not whole; the command itself is done`,
    );
  }

  /** Whether all output was written, for data that cannot be shown again. */
  isTaken(): Promise<boolean> {
    return new Promise((resolve) =>
      this.#streams.stdout.write('', (error) => resolve(!error && !this.#readerIsGone)),
    );
  }

  /** One line for people, on standard error. */
  tell(line: string): void {
    this.#streams.stderr.write(`${printableLines(line)}\n`);
  }

  /** `tell`, for messages that can have many lines. */
  async tellInTurn(line: string): Promise<void> {
    if (!this.#nobodyIsTold) await taken(this.#streams.stderr, `${printableLines(line)}\n`);
  }

  /** One JSON object, or a sentence for people. */
  answer(json: boolean | undefined, object: object, sentence: string): Promise<void> {
    return json ? this.object(object) : this.print(sentence);
  }

  /** A table for people, or a line of JSON for each row; stops when the reader stops. Returns the number of rows. */
  async list<Row>(rows: AsyncIterable<Row> | Iterable<Row>, listing: Listing<Row>): Promise<number> {
    let count = 0;
    let page: Row[] = [];
    for await (const row of rows) {
      if (this.#readerIsGone) break;
      count += 1;
      if (listing.json) await this.object(listing.object(row));
      else if (page.push(row) === together) {
        await this.#table(page, listing.columns);
        page = [];
      }
    }
    if (page.length > 0) await this.#table(page, listing.columns);
    if (count === 0 && !listing.json) this.tell(listing.none);
    return count;
  }

  /** The fields of one object, one a line. */
  async fields(rows: readonly Field[]): Promise<void> {
    const { fieldsText } = await import('./table.ts');
    await this.write(`${fieldsText(rows, this.#isColoured)}\n`);
  }

  async #table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Promise<void> {
    const { tableText } = await import('./table.ts');
    await this.write(`${tableText(rows, columns, this.#isColoured)}\n`);
  }

  /** Only in a terminal, and not with NO_COLOR; always with FORCE_COLOR. */
  get #isColoured(): boolean {
    const { environment } = this.#streams;
    if (environment.FORCE_COLOR === undefined && !this.isTerminal) return false;
    return WriteStream.prototype.getColorDepth(environment) > 2;
  }

  /** The outputs for help and usage errors. */
  forHelp() {
    const { stdout, stderr } = this.#streams;
    const width = (stream: OutputStream) => (stream.isTTY ? stream.columns : undefined);
    return {
      writeOut: (text: string) => void stdout.write(text),
      writeErr: (text: string) => void stderr.write(text),
      getOutHelpWidth: () => width(stdout) as number,
      getErrHelpWidth: () => width(stderr) as number,
    };
  }
}

function taken(stream: OutputStream, text: string): Promise<void> {
  return new Promise((resolve) => {
    if (stream.write(text, () => resolve())) resolve();
  });
}
