import type * as domain from '@campaign-mirror/domain';
import {
  type CallersMirror,
  callersValues,
  resultsOf,
  type SetResult,
  setMirrorsText,
} from '../statements/set-mirrors.ts';
import { Batches, type Call, WaitingCalls } from './batches.ts';
import type { Statement, Statements } from './statements.ts';

/*
 * How addresses are set in PostgreSQL. An update passes these states from its arrival to its answer:
 *
 * 1. It waits in `batches` until it is in the next batch: at the end of this turn of the event loop if no batch is under way,
 *    otherwise when that batch ends. Beside a small batch, a second one may be sent earlier.
 * 2. It is under way with the others of its batch, in one statement that waits for no lock. A second update of the same
 *    line (a campaign, and the owner that its caller saw) waits until this one has ended.
 * 3. If its mirror is locked, it enters the line of that mirror, with all that wait behind it. The first update of a line
 *    waits in the database, on a connection of its own; at most `maxLocked` lines do so at once. The others of the line
 *    wait behind it. While there is a line, later updates of it enter it without a batch.
 *
 * The answer to an update comes from its own row, in state 2 or 3: the mirror, or what is different. If the campaign
 * changed while its row was waited for, the answer is undefined: the campaign has to be found again.
 *
 * An update is rejected in state 1 or 3 if its turn does not come within `timeout`, and in state 3 if the statement
 * waits for the lock longer than its time limit.
 */

/** As `CampaignRepository#setMirror`; undefined if the campaign changed while its row was waited for. */
export type SetMirror = (
  seen: domain.Campaign,
  change: domain.MirrorChange,
) => Promise<domain.SetMirrorResult | undefined>;

export interface UpdateLimits {
  /** The maximum number of lines whose locks are awaited at once, each on its own connection. */
  readonly maxLocked: number;
  /** How long an update waits for its turn, in milliseconds. */
  readonly timeout: number;
}

/** Updates in one statement. */
const maxBatchSize = 128;

const setMirrors: Statement = { name: 'set-mirrors', text: setMirrorsText({ waits: false }) };
/** For one update: the only statement that waits for a lock. */
const setLockedMirror: Statement = { name: 'set-locked-mirror', text: setMirrorsText({ waits: true }) };

interface Update extends Call, CallersMirror {
  readonly line: string;
  resolve(result: domain.SetMirrorResult | undefined): void;
}

/** Batched updates, as one statement and one commit. */
export function groupedUpdates(statements: Statements, { maxLocked, timeout }: UpdateLimits): SetMirror {
  const batches = new Batches<Update>(maxBatchSize, timeout);
  /** Of locked mirrors, in the order of their turns: the updates that wait behind the first one of each. */
  const lines = new Map<string, WaitingCalls<Update>>();
  /** The lines whose first update waits in the database. */
  const waitedFor = new Set<string>();

  async function sendBatches(): Promise<never> {
    for (;;) {
      const batch = await batches.next();
      void statements.runBatch(setMirrors, batch, sendBatch).then(() => batches.end(batch));
    }
  }

  async function sendBatch(batch: readonly Update[]): Promise<void> {
    const results = resultsOf(batch, await statements.run(setMirrors, callersValues(batch)));
    for (const [index, update] of batch.entries()) {
      const result = results[index] as SetResult;
      if (result.kind !== 'locked' && result.kind !== 'address-differs') update.resolve(result);
      else for (const one of [update, ...batches.takeLine(update.line)]) enterLine(one);
    }
  }

  function enterLine(update: Update): void {
    statements.observer.setAside?.();
    const line = lines.get(update.line) ?? new WaitingCalls(timeout, 'the campaign was locked for too long');
    line.add(update);
    lines.set(update.line, line);
    // Not at once: other updates of this turn of the event loop join the line.
    setImmediate(callNext);
  }

  function callNext(): void {
    for (const [name, line] of lines) {
      if (waitedFor.has(name)) continue;
      // All of its updates have waited for too long.
      if (line.length === 0) lines.delete(name);
      else if (waitedFor.size < maxLocked) void waitFor(name, line);
    }
  }

  async function waitFor(name: string, line: WaitingCalls<Update>): Promise<void> {
    waitedFor.add(name);
    await statements.runBatch(setLockedMirror, line.take(1), sendLocked);
    waitedFor.delete(name);
    // The line goes to the end of the queue, so that each line has its turn.
    lines.delete(name);
    if (line.length > 0) lines.set(name, line);
    callNext();
  }

  async function sendLocked(batch: readonly Update[]): Promise<void> {
    const [result] = resultsOf(batch, await statements.run(setLockedMirror, callersValues(batch)));
    const isAnswer = result && result.kind !== 'locked' && result.kind !== 'address-differs';
    // If nothing was set, the campaign changed while its row was waited for.
    batch[0]?.resolve(isAnswer ? result : undefined);
  }

  void sendBatches();
  return (seen, change) => {
    const { id: campaign, ownerId: owner, isDefault } = seen;
    return new Promise((resolve, reject) => {
      const since = performance.now();
      // By owner, too: a caller that is not the owner is refused at once, and delays nobody.
      const line = `${campaign} ${owner}`;
      const update = { line, campaign, owner, isDefault, ...change, since, resolve, reject };
      if (lines.has(line)) enterLine(update);
      else batches.add(update);
    });
  };
}
