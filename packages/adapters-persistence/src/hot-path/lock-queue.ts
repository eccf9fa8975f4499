import { answering, type Waiting } from './batches.ts';

/** An update that waits for its answer. */
export interface Queued extends Waiting {
  /** Updates of one line wait together: those of one campaign whose callers saw the same owner. */
  readonly line: string;
}

export interface LockQueueLimits {
  /** The maximum number of campaigns whose locks are awaited at once, each on its own connection. */
  readonly maxCampaigns: number;
  /** How long an update waits for its turn, in milliseconds. */
  readonly timeout: number;
}

/**
 * Where updates wait whose mirror is locked. Of each line, the first one waits in the database, and the others behind it:
 * no line takes more than one connection.
 */
export class LockQueue<Member extends Queued> {
  readonly #wait: (member: Member) => Promise<void>;
  readonly #dismiss: (members: readonly Member[]) => Promise<void>;
  readonly #limits: LockQueueLimits;
  /** In the order of their turns; the members of each in order of arrival. */
  readonly #lines = new Map<string, Member[]>();
  readonly #waitedFor = new Set<string>();
  #watch: NodeJS.Timeout | undefined;

  /**
   * `wait`: waits for the lock on the mirror of this one, and answers it. `dismiss`: answers those whose turn did not come
   * in time. If one rejects, so are its members.
   */
  constructor(
    wait: (member: Member) => Promise<void>,
    dismiss: (members: readonly Member[]) => Promise<void>,
    limits: LockQueueLimits,
  ) {
    this.#wait = wait;
    this.#dismiss = dismiss;
    this.#limits = limits;
  }

  /** Whether updates wait in this line: a later one then waits behind them. */
  has(line: string): boolean {
    return this.#lines.has(line);
  }

  enter(member: Member): void {
    const line = this.#lines.get(member.line);
    if (line) line.push(member);
    else this.#lines.set(member.line, [member]);
    // Not at once: other updates of this turn of the event loop join it.
    setImmediate(() => this.#callNext());
  }

  #callNext(): void {
    for (const [name, line] of this.#lines) {
      if (this.#waitedFor.size >= this.#limits.maxCampaigns) break;
      if (!this.#waitedFor.has(name)) void this.#waitFor(name, line);
    }
    this.#watchOver();
  }

  async #waitFor(name: string, line: Member[]): Promise<void> {
    this.#waitedFor.add(name);
    await answering(line.splice(0, 1), ([first]) => this.#wait(first as Member));
    this.#waitedFor.delete(name);
    // Last, so that each line has its turn.
    this.#lines.delete(name);
    if (line.length > 0) this.#lines.set(name, line);
    this.#callNext();
  }

  /** One timer for all, while any update waits for its turn. */
  #watchOver(): void {
    if (this.#watch) return;
    const first = Math.min(
      ...[...this.#lines.values()].map(([member]) => member?.since ?? Number.POSITIVE_INFINITY),
    );
    if (first === Number.POSITIVE_INFINITY) return;
    const left = Math.max(0, first + this.#limits.timeout - performance.now());
    this.#watch = setTimeout(() => {
      this.#watch = undefined;
      this.#dismissLate();
      this.#watchOver();
    }, left).unref();
  }

  #dismissLate(): void {
    const late: Member[] = [];
    const tooLong = performance.now() - this.#limits.timeout;
    for (const [name, line] of this.#lines) {
      const kept = line.findIndex(({ since }) => since > tooLong);
      late.push(...line.splice(0, kept === -1 ? line.length : kept));
      if (line.length === 0 && !this.#waitedFor.has(name)) this.#lines.delete(name);
    }
    void answering(late, this.#dismiss);
  }
}
