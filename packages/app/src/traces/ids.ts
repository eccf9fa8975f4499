import type { IdGenerator } from '@opentelemetry/sdk-trace';

/** Of each number of 16 bits its four digits. */
const hexadecimal = Array.from({ length: 65_536 }, (_, bits) => bits.toString(16).padStart(4, '0'));

/** Random identifiers. Each request has one of its trace, recorded or not: the SDK's own cost several times as much. */
export class Ids implements IdGenerator {
  #decided: string | undefined;

  /** The next trace is to have this one, by which it was decided that it is recorded. */
  decide(traceId: string): void {
    this.#decided = traceId;
  }

  generateTraceId(): string {
    const traceId = this.#decided ?? digits(4);
    this.#decided = undefined;
    return traceId;
  }

  generateSpanId(): string {
    return digits(2);
  }
}

/** Eight digits for each part. One of nothing but zeroes, which is none, comes once in an age. */
function digits(parts: number): string {
  let text = '';
  for (let part = 0; part < parts; part++) {
    const bits = Math.random() * 2 ** 32;
    text += hexadecimal[bits >>> 16];
    text += hexadecimal[bits & 0xffff];
  }
  return text;
}
