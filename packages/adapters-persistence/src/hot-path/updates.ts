import type * as domain from '@campaign-mirror/domain';
import type { SetResult } from '@campaign-mirror/domain/operator';
import { type CallersMirror, settingMirrors } from '../statements/set-statement.ts';
import { Batches, WaitingCalls } from './batches.ts';
import type { BatchStatement, StatementRunner } from './run-statements.ts';

/*
 * How addresses are set in PostgreSQL. An update passes these states from its arrival to its answer:
 *
 * 1. It waits in `batches` until it is in the next batch.
 * 2. It is under way with the others of its batch, in one statement that waits for no lock. A second update of the same
 *    line (a campaign, and the owner that its caller saw) waits until this one has ended.
 * 3. If its mirror is locked, it enters the line of that mirror, with all that wait behind it. The first update of a
 *    line waits in the database, on a connection of its own; at most `maxLocked` lines do so at once. While there is a
 *    line, later updates of it enter it without a batch.
 *
 * The answer comes from the update's own row: the mirror, or what is different. If the row still says in state 3 that
 * it is locked, the campaign changed during the wait, and is read again. An update is rejected in state 1 or 3 if its
 * turn does not come within `timeout`, and in state 3 if the statement waits for the lock longer than its time limit.
 */

type SetMirrors = BatchStatement<CallersMirror, SetResult>;

const setMirrors: SetMirrors = { name: 'set-mirrors', maxSize: 128, ...settingMirrors({ waits: false }) };
const setLocked: SetMirrors = { name: 'set-locked-mirror', maxSize: 1, ...settingMirrors({ waits: true }) };

/** As `CampaignRepository#setMirror`. `timeout` is in milliseconds. */
export function groupedUpdates(
  statements: StatementRunner,
  find: domain.CampaignRepository['find'],
  { maxLocked, timeout }: { readonly maxLocked: number; readonly timeout: number },
): domain.CampaignRepository['setMirror'] {
  const batches = new Batches(statements, setMirrors, timeout);
  /** Of locked mirrors, in the order of their turns: the updates that wait behind the first one of each. */
  const lines = new Map<string, WaitingCalls<CallersMirror, SetResult>>();
  /** The lines whose first update waits in the database. */
  const waitedFor = new Set<string>();

  function enterLine(update: CallersMirror, name: string, since: number): Promise<SetResult> {
    statements.observer.setAside?.();
    const line = lines.get(name) ?? new WaitingCalls(timeout, 'the campaign was locked for too long');
    lines.set(name, line);
    // Not at once: other updates of this turn of the event loop join the line.
    setImmediate(callNext);
    return line.add(update, name, since);
  }

  function callNext(): void {
    for (const [name, line] of lines) {
      if (waitedFor.has(name)) continue;
      // All of its updates have waited for too long.
      if (line.length === 0) lines.delete(name);
      else if (waitedFor.size < maxLocked) void waitFor(name, line);
    }
  }

  async function waitFor(name: string, line: WaitingCalls<CallersMirror, SetResult>): Promise<void> {
    waitedFor.add(name);
    await statements.runBatch(setLocked, line.take(1));
    waitedFor.delete(name);
    // The line goes to the end of the queue, so that each line has its turn.
    lines.delete(name);
    if (line.length > 0) lines.set(name, line);
    callNext();
  }

  async function set(update: CallersMirror): Promise<SetResult> {
    const since = performance.now();
    // By owner, too: a caller that is not the owner delays nobody.
    const line = `${update.campaign} ${update.owner}`;
    if (!lines.has(line)) {
      const result = await batches.run(update, line);
      if (result.kind !== 'locked') return result;
      // They enter the line behind this one.
      for (const { resolve } of batches.takeLine(line)) resolve(result);
    }
    return enterLine(update, line, since);
  }

  return async (seen, change) => {
    const { id: campaign, ownerId: owner, isDefault, hasMirror } = seen;
    const result = hasMirror ? await set({ campaign, owner, isDefault, ...change }) : undefined;
    if (result && result.kind !== 'locked') return result;
    return { kind: 'campaign-differs', campaign: await find(campaign) };
  };
}
