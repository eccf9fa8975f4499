import { type Waiting, waitLimit } from './batches.ts';

export interface Queued extends Waiting {
  /** Updates of one line wait together: those of one campaign whose callers saw the same owner. */
  readonly line: string;
}

export interface LockQueueLimits {
  /** The maximum number of lines whose locks are awaited at once, each on its own connection. */
  readonly maxLocked: number;
  /** How long an update waits for its turn, in milliseconds. */
  readonly timeout: number;
}

/**
 * The updates whose mirror is locked (state 3 in `campaigns.ts`). The first update of each line waits in the database,
 * and the others wait behind it: no line takes more than one connection. `wait` waits for the lock on the mirror of a
 * member, and answers the member; if it rejects, the member is rejected, too.
 */
export function lockQueue<Member extends Queued>(
  wait: (member: Member) => Promise<void>,
  { maxLocked, timeout }: LockQueueLimits,
) {
  /** The lines in the order of their turns, each with its members in order of arrival. */
  const lines = new Map<string, Member[]>();
  /** The lines whose first update waits in the database; it is not among the members of the line any more. */
  const waitedFor = new Set<string>();

  const watch = waitLimit(timeout, () => lines.values(), 'the campaign was locked for too long');

  function callNext(): void {
    for (const [name, line] of lines) {
      if (waitedFor.has(name)) continue;
      // All of its members have waited for too long.
      if (line.length === 0) lines.delete(name);
      else if (waitedFor.size < maxLocked) void waitFor(name, line);
    }
    watch();
  }

  async function waitFor(name: string, line: Member[]): Promise<void> {
    waitedFor.add(name);
    const first = line.shift() as Member;
    await wait(first).catch(first.reject);
    waitedFor.delete(name);
    // The line goes to the end of the queue, so that each line has its turn.
    lines.delete(name);
    if (line.length > 0) lines.set(name, line);
    callNext();
  }

  return {
    /** Whether updates wait in this line: a later one then waits behind them. */
    has: (line: string) => waitedFor.has(line) || (lines.get(line) ?? []).length > 0,
    enter: (member: Member) => {
      const line = lines.get(member.line);
      if (line) line.push(member);
      else lines.set(member.line, [member]);
      // Not at once: other updates of this turn of the event loop join the line.
      setImmediate(callNext);
    },
  };
}
