import type * as domain from '@campaign-mirror/domain';
import type { BatchSetResult } from '@campaign-mirror/domain/operator';
import { type CallersMirror, settingMirrors } from '../statements/set-statement.ts';
import { Batches, WaitingCalls } from './batches.ts';
import type { BatchStatement, StatementRunner } from './run-statements.ts';

/*
 * The states of an update, from its arrival to its answer:
 *
 * 1. It waits in `batches` for the next batch.
 * 2. It runs in a batch: one statement that waits for no lock. A second update of the same target (a campaign, and the
 *    owner that its caller saw) waits until this one has ended.
 * 3. If its mirror is locked, it enters the queue of its target with all updates behind it; later updates of the target
 *    join them. The first update of a queue waits in the database; at most `maxLocked` of them do so at once.
 *
 * The answer comes from the update's own row: the mirror, or what differs. If the row still says `locked` in state 3,
 * the campaign changed during the wait and is read again. `timeout` limits the wait in state 1 and in state 3.
 */

type SetMirrors = BatchStatement<CallersMirror, BatchSetResult>;

const setMirrors: SetMirrors = { name: 'set-mirrors', maxSize: 128, ...settingMirrors({ waits: false }) };
const setLocked: SetMirrors = { name: 'set-locked-mirror', maxSize: 1, ...settingMirrors({ waits: true }) };

/** `CampaignRepository#setMirror`. `timeout` is in milliseconds. */
export function groupedUpdates(
  statements: StatementRunner,
  find: domain.CampaignRepository['find'],
  { maxLocked, timeout }: { readonly maxLocked: number; readonly timeout: number },
): domain.CampaignRepository['setMirror'] {
  const batches = new Batches(statements, setMirrors, timeout);
  /** By target, in the order of their turns: the updates behind the first one of each. */
  const queues = new Map<string, WaitingCalls<CallersMirror, BatchSetResult>>();
  /** The targets whose first update waits in the database. */
  const waitedFor = new Set<string>();

  function enqueue(update: CallersMirror, target: string, since: number): Promise<BatchSetResult> {
    statements.observer.setAside?.();
    const queue = queues.get(target) ?? new WaitingCalls(timeout, 'the campaign was locked for too long');
    queues.set(target, queue);
    // Not at once: other updates of this turn of the event loop join the queue.
    setImmediate(callNext);
    return queue.add(update, target, since);
  }

  function callNext(): void {
    for (const [target, queue] of queues) {
      if (waitedFor.has(target)) continue;
      // All of its updates were rejected.
      if (queue.length === 0) queues.delete(target);
      else if (waitedFor.size < maxLocked) void waitFor(target, queue);
    }
  }

  async function waitFor(target: string, queue: WaitingCalls<CallersMirror, BatchSetResult>): Promise<void> {
    waitedFor.add(target);
    await statements.runBatch(setLocked, queue.take(1));
    waitedFor.delete(target);
    // The queue moves to the end, so that each queue has its turn.
    queues.delete(target);
    if (queue.length > 0) queues.set(target, queue);
    callNext();
  }

  async function set(update: CallersMirror): Promise<BatchSetResult> {
    const since = performance.now();
    // The owner is part of the target: calls of other owners do not delay the owner's calls.
    const target = `${update.campaign} ${update.owner}`;
    if (!queues.has(target)) {
      const result = await batches.run(update, target);
      if (result.kind !== 'locked') return result;
      // These updates enter the queue behind this one.
      for (const { resolve } of batches.takeAll(target)) resolve(result);
    }
    return enqueue(update, target, since);
  }

  return async (seen, change) => {
    const { id: campaign, ownerId: owner, isDefault, hasMirror } = seen;
    const result = hasMirror ? await set({ campaign, owner, isDefault, ...change }) : undefined;
    if (result && result.kind !== 'locked') return result;
    return { kind: 'campaign-differs', campaign: await find(campaign) };
  };
}
