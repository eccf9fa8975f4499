import { EventEmitter, once } from 'node:events';
import type { Overload, OverloadLog } from '@campaign-mirror/adapters-http';

/** Keeps what is told of overload: `began requests`, `ended requests: 50 in 1200 ms`. */
export class ToldOverload implements OverloadLog {
  readonly words: string[] = [];
  readonly #news = new EventEmitter();

  began(what: Overload): void {
    this.#add(`began ${what}`);
  }

  ended(what: Overload, refused: number, milliseconds: number): void {
    this.#add(`ended ${what}: ${refused} in ${milliseconds} ms`);
  }

  /** As soon as it was said. */
  async hears(words: string): Promise<void> {
    while (!this.words.includes(words)) await once(this.#news, 'news');
  }

  #add(words: string): void {
    this.words.push(words);
    this.#news.emit('news');
  }
}
