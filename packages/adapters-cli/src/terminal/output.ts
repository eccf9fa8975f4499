import type { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { ClearError } from './clear-error.ts';
import { escaped, printableLines } from './escapes.ts';
import type { Column, Field } from './table.ts';

/** Where a command writes to: a terminal says that it is one. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface Streams {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
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

/**
 * What a call says: its answer on standard output, and what people read beside it on standard error. Whatever steers a
 * terminal or misleads its reader, names of campaigns above all, is shown by its code point to people, and escaped in JSON.
 */
export class Output {
  readonly #streams: Streams;
  /** Set when standard output takes nothing any more. */
  #readerIsGone = false;
  /** Why, where it is not that its reader has seen enough. */
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

  /** For the end: the streams are whose they were. */
  letGo(): void {
    this.#streams.stdout.off('error', this.#onRefused);
    this.#streams.stderr.off('error', this.#onUntold);
  }

  /** Whether nobody reads our standard output any more, as after `| head -1`: then there is nothing more to list. */
  get isReaderGone(): boolean {
    return this.#readerIsGone;
  }

  /** Whether a person reads the answer. */
  get isTerminal(): boolean {
    return this.#streams.stdout.isTTY === true;
  }

  /** One line on standard output; resolves when it was taken, so that nothing piles up behind a slow reader. */
  print(line: string): Promise<void> {
    return this.write(`${printableLines(line)}\n`);
  }

  /** The same with an object for programs. */
  object(object: object): Promise<void> {
    return this.write(`${escaped(JSON.stringify(object))}\n`);
  }

  /** Text as it is, for what has to come back as it was. */
  async write(text: string): Promise<void> {
    if (!this.#readerIsGone) await taken(this.#streams.stdout, text);
  }

  /** The same, not waited for. */
  say(text: string): void {
    this.#streams.stdout.write(text);
  }

  /** For the end of a command. @throws ClearError when not all that was printed could be written, though it was wanted */
  async allWritten(): Promise<void> {
    await this.isTaken();
    if (this.#unwritten === undefined) return;
    throw new ClearError(
      `standard output cannot be written (${this.#unwritten.code}): what it holds is not whole; the command itself is done`,
    );
  }

  /** Whether all that was printed could be written, for what cannot be shown again. */
  isTaken(): Promise<boolean> {
    return new Promise((resolve) =>
      this.#streams.stdout.write('', (error) => resolve(!error && !this.#readerIsGone)),
    );
  }

  /** One line for people, beside the answer: on standard error. */
  tell(line: string): void {
    this.#streams.stderr.write(`${printableLines(line)}\n`);
  }

  /** `tell` for what may be many lines. */
  async tellInTurn(line: string): Promise<void> {
    if (!this.#nobodyIsTold) await taken(this.#streams.stderr, `${printableLines(line)}\n`);
  }

  /** One object for programs, or a sentence for people. */
  answer(json: boolean | undefined, object: object, sentence: string): Promise<void> {
    return json ? this.object(object) : this.print(sentence);
  }

  /** A table for people, or a line of JSON for each row; ends early where nobody reads on. Tells how many there were. */
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

  /** The fields of one thing, one a line. */
  async fields(rows: readonly Field[]): Promise<void> {
    const { fieldsText } = await import('./table.ts');
    await this.write(`${fieldsText(rows, this.#isColoured)}\n`);
  }

  async #table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): Promise<void> {
    const { tableText } = await import('./table.ts');
    await this.write(`${tableText(rows, columns, this.#isColoured)}\n`);
  }

  /** Only in a terminal, and not with NO_COLOR; anywhere with FORCE_COLOR. */
  get #isColoured(): boolean {
    const { environment } = this.#streams;
    if (environment.FORCE_COLOR === undefined && !this.isTerminal) return false;
    return WriteStream.prototype.getColorDepth(environment) > 2;
  }

  /** Where the help and the faults of a call go to. */
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
