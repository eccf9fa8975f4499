import { randomFillSync } from 'node:crypto';
import type { IdGenerator } from '@opentelemetry/sdk-trace';

/** Made at once, in bytes. An identifier keeps the digits of all of them in memory for as long as it is kept itself. */
const madeAtOnce = 2_048;
const none = /^0+$/;

/**
 * Random identifiers. Each request has one of its trace, recorded or not: made one by one, as the SDK does it, they
 * would cost several times as much.
 */
export class Ids implements IdGenerator {
  readonly #bytes = Buffer.alloc(madeAtOnce);
  #digits = '';
  #at = 0;
  #decided: string | undefined;

  /** The next trace is to have this one, by which it was decided that it is recorded. */
  decide(traceId: string): void {
    this.#decided = traceId;
  }

  generateTraceId(): string {
    const traceId = this.#decided ?? this.#next(32);
    this.#decided = undefined;
    return traceId;
  }

  generateSpanId(): string {
    return this.#next(16);
  }

  #next(length: number): string {
    if (this.#at + length > this.#digits.length) {
      this.#digits = randomFillSync(this.#bytes).toString('hex');
      this.#at = 0;
    }
    this.#at += length;
    const id = this.#digits.slice(this.#at - length, this.#at);
    return id.startsWith('0000') && none.test(id) ? this.#next(length) : id;
  }
}
