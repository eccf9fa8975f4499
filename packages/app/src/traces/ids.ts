import { randomFillSync } from 'node:crypto';
import type { IdGenerator } from '@opentelemetry/sdk-trace';

/** Made at once, in bytes: those of some hundred identifiers. */
const madeAtOnce = 4_096;
const none = /^0+$/;

export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** Where in the sixteen bytes of a trace's identifier those begin that are random by W3C Trace Context, level 2. */
const random = { first24Bits: 9, last32Bits: 12 };

/**
 * Random identifiers. Each request draws one for its trace, recorded or not: made one by one, as the SDK does it, they
 * would cost several times as much. Each is a text of its own: JSON is slow at what is a part of a longer one.
 */
export class Ids implements IdGenerator {
  readonly #bytes = Buffer.alloc(madeAtOnce);
  #at = madeAtOnce;
  #given: SpanIds | undefined;

  /**
   * Draws the identifier of a trace. Undefined, and not written out, where its random bits, taken as a number below
   * 2^56, are less than these.
   */
  draw(least: number): string | undefined {
    const at = this.#take(16);
    const high = this.#bytes.readUIntBE(at + random.first24Bits, 3);
    if (high * 2 ** 32 + this.#bytes.readUInt32BE(at + random.last32Bits) < least) return undefined;
    return this.#written(at, 16) ?? this.#next(16);
  }

  /** What is made meanwhile has these, which are known already. */
  give<Made>(ids: SpanIds, make: () => Made): Made {
    this.#given = ids;
    try {
      return make();
    } finally {
      this.#given = undefined;
    }
  }

  generateTraceId(): string {
    return this.#given?.traceId ?? this.#next(16);
  }

  generateSpanId(): string {
    return this.#given?.spanId ?? this.#next(8);
  }

  #next(length: number): string {
    return this.#written(this.#take(length), length) ?? this.#next(length);
  }

  /** Where the next so many random bytes are. */
  #take(length: number): number {
    if (this.#at + length > madeAtOnce) {
      randomFillSync(this.#bytes);
      this.#at = 0;
    }
    this.#at += length;
    return this.#at - length;
  }

  /** Undefined where all of them are 0, which is no identifier. */
  #written(at: number, length: number): string | undefined {
    const id = this.#bytes.toString('hex', at, at + length);
    return id.startsWith('0000') && none.test(id) ? undefined : id;
  }
}
