import type { Overload, OverloadLog } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { eventually } from '../eventually.ts';

/** Keeps what is reported about overload: `began requests`, `ended requests: 50 in 1200 ms`. */
export class ToldOverload implements OverloadLog {
  readonly words: string[] = [];

  began(what: Overload): void {
    this.words.push(`began ${what}`);
  }

  ended(what: Overload, refused: number, milliseconds: number): void {
    this.words.push(`ended ${what}: ${refused} in ${milliseconds} ms`);
  }

  /** As soon as it was said. */
  async hears(words: string): Promise<void> {
    await eventually(words, () => expect(this.words).to.include(words));
  }
}
