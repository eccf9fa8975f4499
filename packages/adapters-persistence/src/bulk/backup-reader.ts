import { createHash } from 'node:crypto';
import { endOfRows } from './backup.ts';

/** Why a file cannot be restored. The message is for the operator. */
export class BackupFault extends Error {
  override name = 'BackupFault';

  constructor(message = 'it is damaged, or not a backup of this program') {
    super(message);
  }
}

/** The longest line that a backup writes, in bytes. */
const longestLine = 16_777_216;

const newline = 10;
const end = Buffer.from(`\n${endOfRows}`);

/** Parses a backup as it arrives. @throws BackupFault if it is not a backup, or ends too early */
export class BackupReader {
  readonly #bytes: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes[Symbol.asyncIterator]();
  }

  /** The next line, parsed as JSON, and the SHA-256 of everything before it. */
  async object(): Promise<{ object: Readonly<Record<string, unknown>>; sha256: string }> {
    while (!this.#rest.includes(newline)) await this.#more();
    const sha256 = this.#hash.copy().digest('hex');
    const line = this.#taken(this.#rest.indexOf(newline) + 1).toString();
    try {
      return { object: Object(JSON.parse(line)), sha256 };
    } catch {
      throw new BackupFault();
    }
  }

  /** The rows of a table, in chunks of whole lines, up to their end. */
  async *rows(): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.#rest.subarray(0, endOfRows.length).equals(end.subarray(1))) {
        this.#taken(endOfRows.length);
        return;
      }
      const atEnd = this.#rest.indexOf(end);
      const whole = (atEnd === -1 ? this.#rest.lastIndexOf(newline) : atEnd) + 1;
      if (whole > 0) yield this.#taken(whole);
      else await this.#more();
    }
  }

  /** @throws BackupFault if any bytes are left */
  async end(): Promise<void> {
    const { done } = this.#rest.length > 0 ? { done: false } : await this.#bytes.next();
    if (!done) throw new BackupFault();
  }

  #taken(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    this.#hash.update(taken);
    return taken;
  }

  async #more(): Promise<void> {
    if (this.#rest.length > longestLine) throw new BackupFault();
    const { done, value } = await this.#bytes.next();
    if (done) throw new BackupFault();
    this.#rest = Buffer.concat([this.#rest, value]);
  }
}
