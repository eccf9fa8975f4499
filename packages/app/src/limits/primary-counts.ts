import type { Count } from '@campaign-mirror/adapters-http';
import type { Counts } from './counts.ts';

/** How long to wait for an answer, in milliseconds: a request waits for it. */
const timeout = 250;
/** The maximum number of unanswered questions: otherwise a stuck primary would let the memory fill up. */
const maxOpen = 32;
/** Beyond them, one question is sent this often, in milliseconds: its answer shows that the primary counts again. */
const betweenTries = 1_000;

interface Waiting {
  readonly who: string;
  resolve(count: Count): void;
  reject(error: Error): void;
}

/**
 * A worker's counts, which its primary keeps for all workers. Everything counted in one turn of the event loop is one
 * question.
 */
export class PrimaryCounts implements Counts {
  readonly #ask: (question: number, who: readonly string[]) => void;
  readonly #open = new Map<
    number,
    { readonly waiting: readonly Waiting[]; readonly timer: NodeJS.Timeout }
  >();
  #gathered: Waiting[] = [];
  #questions = 0;
  /** The last question that was answered: earlier ones have their answer by then, or get none. */
  #answered = 0;
  #lastAsked = 0;

  /** `ask` sends a numbered question to the primary; its answer has the same number. */
  constructor(ask: (question: number, who: readonly string[]) => void) {
    this.#ask = ask;
  }

  count(who: string): Promise<Count> {
    return new Promise((resolve, reject) => {
      if (this.#gathered.length === 0) setImmediate(() => this.#send());
      this.#gathered.push({ who, resolve, reject });
    });
  }

  /** Takes an answer: the counts in the order of the question. */
  counted(question: number, counts: readonly (readonly [consumed: number, resetIn: number])[]): void {
    this.#answered = Math.max(this.#answered, question);
    const { waiting = [], timer } = this.#open.get(question) ?? {};
    this.#open.delete(question);
    clearTimeout(timer);
    for (const [at, one] of waiting.entries()) {
      const [consumed, resetIn] = counts[at] ?? [];
      if (consumed === undefined || resetIn === undefined)
        one.reject(new Error('the primary does not count'));
      else one.resolve({ consumed, resetIn });
    }
  }

  #send(): void {
    const waiting = this.#gathered;
    this.#gathered = [];
    const now = performance.now();
    if (this.#questions - this.#answered >= maxOpen && now - this.#lastAsked < betweenTries) {
      away(waiting);
      return;
    }
    this.#lastAsked = now;
    const question = ++this.#questions;
    const timer = setTimeout(() => {
      this.#open.delete(question);
      away(waiting);
    }, timeout);
    this.#open.set(question, { waiting, timer });
    this.#ask(
      question,
      waiting.map(({ who }) => who),
    );
  }
}

function away(waiting: readonly Waiting[]): void {
  const error = new Error('the primary did not answer in time');
  for (const one of waiting) one.reject(error);
}
