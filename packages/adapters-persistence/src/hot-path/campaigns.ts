import type * as domain from '@campaign-mirror/domain';
import { accessKeyOf } from '@campaign-mirror/domain';
import {
  type CallersMirror,
  callersValues,
  resultsOf,
  type SetResult,
  setMirrorsText,
} from '../statements/mirrors-to-set.ts';
import { batches, type Statement, type Statements, splitUp } from './batches.ts';
import type { LookUps } from './identity.ts';
import type { KeyUses } from './key-uses.ts';
import { type LockQueueLimits, lockQueue, type Queued } from './lock-queue.ts';
import type { HotPathObserver } from './observer.ts';

/*
 * How addresses are set in PostgreSQL. An update passes these states from its arrival to its answer:
 *
 * 1. It waits in `batches` until a batch takes it: at the end of this turn of the event loop if no batch is under way,
 *    otherwise when that batch ends. Beside a small batch, a second one may be sent earlier.
 * 2. It is under way with the others of its batch, in one statement that waits for no lock. A second update of the same
 *    line (a campaign, and the owner that its caller saw) is not taken until this one has ended.
 * 3. If its mirror is locked, it enters the `lockQueue`. The first update of a line waits in the database, on a
 *    connection of its own; at most `maxLocked` lines do so at once. The others of the line wait behind it. While a
 *    line waits, later updates of it enter the queue without a batch.
 *
 * The answer to an update comes from its own row, in state 2 or 3: the mirror, or what is different. If the campaign
 * changed while its row was waited for, the answer is undefined, and `postgresCampaigns` finds the campaign again.
 *
 * An update is rejected in state 1 or 3 if its turn does not come within `timeout`, and in state 3 if the statement
 * waits for the lock longer than its time limit.
 *
 * If a statement fails and a single member may be the cause, its members run one by one.
 */

/** As `CampaignRepository#setMirror`; undefined if the campaign changed while its row was waited for. */
type SetMirror = (
  seen: domain.Campaign,
  change: domain.MirrorChange,
) => Promise<domain.SetMirrorResult | undefined>;

/** Campaigns and mirrors in PostgreSQL. `uses` records the keys that a write has proven. */
export function postgresCampaigns(
  find: LookUps['campaign'],
  set: SetMirror,
  uses: KeyUses,
): domain.CampaignRepository {
  return {
    find,
    setMirror: async (seen, change) => {
      if (seen.hasMirror) {
        const result = await set(seen, change);
        const key = accessKeyOf(change.by.subject);
        if (key && result && result.kind !== 'caller-invalid') uses.note(key);
        if (result) return result;
      }
      return { kind: 'campaign-differs', campaign: await find(seen.id) };
    },
  };
}

/** Updates in one statement. */
const maxBatchSize = 128;

const setMirrors: Statement = { name: 'set-mirrors', text: setMirrorsText({ waits: false }) };
/** For one update: the only statement that waits for a lock. */
const setLockedMirror: Statement = { name: 'set-locked-mirror', text: setMirrorsText({ waits: true }) };

interface Member extends Queued, CallersMirror {
  resolve(result: domain.SetMirrorResult | undefined): void;
}

type PassedOver = (member: Member) => void;

/** Batched updates, as one statement and one commit. */
export function groupedUpdates(
  statements: Statements,
  limits: LockQueueLimits,
  observer: HotPathObserver,
): SetMirror {
  /** The lines of the batches that are under way. */
  const underWay = new Set<string>();

  const queue = lockQueue<Member>(
    // If nothing was set, the campaign changed while its row was waited for.
    (member) => runBatch(setLockedMirror, [member], () => member.resolve(undefined)),
    limits,
  );
  const add = batches<Member>({ take, carryOut }, limits.timeout);

  function take(waiting: Member[]): Member[] {
    const batch: Member[] = [];
    const others: Member[] = [];
    let examined = 0;
    for (; examined < waiting.length && batch.length < maxBatchSize; examined++) {
      const member = waiting[examined] as Member;
      if (queue.has(member.line)) enqueue(member);
      else if (underWay.has(member.line)) others.push(member);
      else {
        underWay.add(member.line);
        batch.push(member);
      }
    }
    waiting.splice(0, examined, ...others);
    return batch;
  }

  async function carryOut(batch: readonly Member[]): Promise<void> {
    try {
      await runBatch(setMirrors, batch, enqueue);
    } finally {
      for (const { line } of batch) underWay.delete(line);
    }
  }

  function enqueue(member: Member): void {
    observer.setAside?.();
    queue.enter(member);
  }

  /** Answers each member. `passedOver` is called if the campaign is as it was seen, but the mirror was not set. */
  async function runBatch(
    statement: Statement,
    batch: readonly Member[],
    passedOver: PassedOver,
  ): Promise<void> {
    observer.batch?.('update', batch.length);
    try {
      await settle(statement, batch, passedOver);
    } catch (error) {
      await splitUp(error, batch, { statement, observer }, (member) =>
        settle(statement, [member], passedOver),
      );
    }
  }

  async function settle(
    statement: Statement,
    batch: readonly Member[],
    passedOver: PassedOver,
  ): Promise<void> {
    const results = resultsOf(batch, await statements.run(statement, callersValues(batch)));
    for (const [index, member] of batch.entries()) {
      const result = results[index] as SetResult;
      if (result.kind === 'locked' || result.kind === 'address-differs') passedOver(member);
      else member.resolve(result);
    }
  }

  return (seen, change) => {
    const { id: campaign, ownerId: owner, isDefault } = seen;
    return new Promise((resolve, reject) => {
      const since = performance.now();
      // By owner, too: a caller that is not the owner is refused at once, and delays nobody.
      const line = `${campaign} ${owner}`;
      add({ line, campaign, owner, isDefault, ...change, since, resolve, reject });
    });
  };
}
