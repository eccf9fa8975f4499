import { randomFillSync } from 'node:crypto';
import type { IdGenerator } from '@opentelemetry/sdk-trace';

/** Made at once, in bytes: those of some hundred identifiers. */
const madeAtOnce = 4_096;
const none = /^0+$/;

/**
 * Random identifiers. Each request has one of its trace, recorded or not: made one by one, as the SDK does it, they
 * would cost several times as much. Each is a text of its own: JSON is slow at what is a part of a longer one.
 */
export class Ids implements IdGenerator {
  readonly #bytes = Buffer.alloc(madeAtOnce);
  #at = madeAtOnce;
  #decided: string | undefined;

  /** The next trace is to have this one, by which it was decided that it is recorded. */
  decide(traceId: string): void {
    this.#decided = traceId;
  }

  generateTraceId(): string {
    const traceId = this.#decided ?? this.#next(16);
    this.#decided = undefined;
    return traceId;
  }

  generateSpanId(): string {
    return this.#next(8);
  }

  /** Of so many bytes. */
  #next(length: number): string {
    if (this.#at + length > madeAtOnce) {
      randomFillSync(this.#bytes);
      this.#at = 0;
    }
    this.#at += length;
    const id = this.#bytes.toString('hex', this.#at - length, this.#at);
    return id.startsWith('0000') && none.test(id) ? this.#next(length) : id;
  }
}
