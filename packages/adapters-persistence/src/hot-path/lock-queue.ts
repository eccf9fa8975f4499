import { answering, takeBefore, type Waiting, WaitLimit } from './batches.ts';

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
 * The updates whose mirror is locked (state 3 in `campaigns.ts`). The first update of each line waits in the database,
 * and the others wait behind it: no line takes more than one connection.
 */
export class LockQueue<Member extends Queued> {
  readonly #wait: (member: Member) => Promise<void>;
  readonly #dismiss: (members: readonly Member[]) => Promise<void>;
  readonly #maxCampaigns: number;
  readonly #waitLimit: WaitLimit;
  /** The lines in the order of their turns, each with its members in order of arrival. */
  readonly #lines = new Map<string, Member[]>();
  /** The lines whose first update waits in the database; it is not among the members of the line any more. */
  readonly #waitedFor = new Set<string>();

  /**
   * `wait` waits for the lock on the mirror of a member, and answers the member. `dismiss` answers the members whose turn
   * did not come in time. If a function rejects, its members are rejected, too.
   */
  constructor(
    wait: (member: Member) => Promise<void>,
    dismiss: (members: readonly Member[]) => Promise<void>,
    { maxCampaigns, timeout }: LockQueueLimits,
  ) {
    this.#wait = wait;
    this.#dismiss = dismiss;
    this.#maxCampaigns = maxCampaigns;
    this.#waitLimit = new WaitLimit(
      timeout,
      () => this.#first,
      (before) => this.#dismissLate(before),
    );
  }

  /** Whether updates wait in this line: a later one then waits behind them. */
  has(line: string): boolean {
    return this.#lines.has(line);
  }

  enter(member: Member): void {
    const line = this.#lines.get(member.line);
    if (line) line.push(member);
    else this.#lines.set(member.line, [member]);
    // Not at once: other updates of this turn of the event loop join the line.
    setImmediate(() => this.#callNext());
  }

  #callNext(): void {
    for (const [name, line] of this.#lines) {
      if (this.#waitedFor.size >= this.#maxCampaigns) break;
      if (!this.#waitedFor.has(name)) void this.#waitFor(name, line);
    }
    this.#waitLimit.watch();
  }

  async #waitFor(name: string, line: Member[]): Promise<void> {
    this.#waitedFor.add(name);
    await answering(line.splice(0, 1), ([first]) => this.#wait(first as Member));
    this.#waitedFor.delete(name);
    // The line goes to the end of the queue, so that each line has its turn.
    this.#lines.delete(name);
    if (line.length > 0) this.#lines.set(name, line);
    this.#callNext();
  }

  /** The member that has waited the longest for its turn. */
  get #first(): Member | undefined {
    let first: Member | undefined;
    for (const [member] of this.#lines.values()) {
      if (member && (!first || member.since < first.since)) first = member;
    }
    return first;
  }

  #dismissLate(before: number): void {
    const late: Member[] = [];
    for (const [name, line] of this.#lines) {
      late.push(...takeBefore(line, before));
      if (line.length === 0 && !this.#waitedFor.has(name)) this.#lines.delete(name);
    }
    void answering(late, this.#dismiss);
  }
}
