import { AsyncResource } from 'node:async_hooks';
import {
  accessKeyOf,
  type Campaign,
  type CampaignId,
  type CampaignRepository,
  type MirrorAddress,
  type MirrorChange,
  type SetMirrorResult,
  Unavailable,
} from '@campaign-mirror/domain';
import { isCanceled, isMembersFault, isStatementsFault } from '../connection/database-faults.ts';
import {
  type CallersMirror,
  callersValues,
  resultsOf,
  type SetResult,
  setMirrorsText,
} from '../statements/set-mirrors.ts';
import {
  Batches,
  type HotPathObserver,
  type Stage,
  type Statement,
  type Statements,
  silentHotPathObserver,
} from './batches.ts';
import type { LookUps } from './identity.ts';
import type { KeyUses } from './key-uses.ts';
import { LockQueue, type Queued } from './lock-queue.ts';

/*
 * How addresses are set in PostgreSQL. An update passes these states from its arrival to its answer:
 *
 * 1. It waits in `Batches` until a batch takes it: at the end of this turn of the event loop if no batch is under way,
 *    otherwise when that batch ends. Beside a small batch, a second one may be sent earlier.
 * 2. It is under way with the others of its batch, in one statement that waits for no lock. A second update of the same
 *    line (a campaign, and the owner that its caller saw) is not taken until this one has ended.
 * 3. If its mirror is locked, it enters the `LockQueue`. The first update of a line waits in the database, on a
 *    connection of its own; at most `maxLocked` lines do so at once. The others of the line wait behind it. While a
 *    line waits, later updates of it enter the queue without a batch.
 *
 * The answer to an update comes from its own row, in state 2 or 3: the mirror, or what is different. If the campaign
 * changed while its row was waited for, the answer is undefined, and `PostgresCampaigns` finds the campaign again.
 *
 * An update is rejected in state 1 or 3 if its turn does not come within `timeout`, and in state 3 if the statement
 * waits for the lock longer than its time limit. Before a rejection in state 3, a statement that sets nothing checks
 * whether the caller is still valid and the campaign unchanged: if not, that is the answer.
 *
 * If a statement fails and a single member may be the cause, its members run one by one.
 */

/** Sets addresses. */
export interface Updates {
  /**
   * As `CampaignRepository#setMirror`; undefined if the campaign changed while its row was waited for.
   * @throws Unavailable
   */
  set(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult | undefined>;
}

/**
 * Campaigns and mirrors in PostgreSQL. `uses` records the keys that a write has proven; by default they are not
 * recorded.
 */
export class PostgresCampaigns implements CampaignRepository {
  readonly #hotPath: Pick<LookUps, 'campaign'> & Updates;
  readonly #observer: HotPathObserver;
  readonly #uses: KeyUses | undefined;

  constructor(
    hotPath: Pick<LookUps, 'campaign'> & Updates,
    { observer = silentHotPathObserver, uses }: { observer?: HotPathObserver; uses?: KeyUses } = {},
  ) {
    this.#hotPath = hotPath;
    this.#observer = observer;
    this.#uses = uses;
  }

  find(id: CampaignId): Promise<Campaign | undefined> {
    return this.#hotPath.campaign(id);
  }

  async setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult> {
    if (seen.hasMirror) {
      const result = await this.#hotPath.set(seen, change);
      const key = accessKeyOf(change.by.subject);
      if (key && result && result.kind !== 'caller-invalid') this.#uses?.note(key);
      if (result) return result;
      this.#observer.judgedAgain();
    }
    return { kind: 'campaign-differs', campaign: await this.find(seen.id) };
  }
}

/** The maximum number of updates in one statement. */
const maxBatchSize = 128;

const setMirrors: Statement = { name: 'set-mirrors', text: setMirrorsText({ waits: false }) };
/** For one update: the only statement that waits for a lock. */
const setLockedMirror: Statement = { name: 'set-locked-mirror', text: setMirrorsText({ waits: true }) };

/** No mirror has this address: a statement that expects it sets nothing. */
const noAddress = '' as MirrorAddress;

interface Member extends Queued, CallersMirror {
  resolve(result: SetMirrorResult | undefined): void;
}

type PassedOver = (member: Member) => void;

/** Batched updates, as one statement and one commit. */
export class GroupedUpdates implements Updates, Stage<Member> {
  readonly #statements: Statements;
  readonly #observer: HotPathObserver;
  readonly #batches: Batches<Member>;
  readonly #lockQueue: LockQueue<Member>;
  /** The lines of the batches that are under way. */
  readonly #underWay = new Set<string>();

  constructor(
    statements: Statements,
    { maxLocked, timeout }: { readonly maxLocked: number; readonly timeout: number },
    observer: HotPathObserver,
  ) {
    this.#statements = statements;
    this.#observer = observer;
    this.#batches = new Batches(this, timeout);
    this.#lockQueue = new LockQueue(
      (member) => this.#waitForRow(member),
      (members) => this.#checkOnce(members),
      { maxCampaigns: maxLocked, timeout },
    );
  }

  set(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult | undefined> {
    const { id: campaign, ownerId: owner, isDefault } = seen;
    return new Promise((resolve, reject) => {
      const origin = new AsyncResource('MirrorUpdate');
      const since = performance.now();
      // By owner, too: a caller that is not the owner is refused at once, and delays nobody.
      const line = `${campaign} ${owner}`;
      this.#batches.add({ line, campaign, owner, isDefault, ...change, origin, since, resolve, reject });
    });
  }

  take(waiting: Member[]): Member[] {
    const batch: Member[] = [];
    const others: Member[] = [];
    let examined = 0;
    for (; examined < waiting.length && batch.length < maxBatchSize; examined++) {
      const member = waiting[examined] as Member;
      if (this.#lockQueue.has(member.line)) this.#enqueue(member);
      else if (this.#underWay.has(member.line)) others.push(member);
      else {
        this.#underWay.add(member.line);
        batch.push(member);
      }
    }
    waiting.splice(0, examined, ...others);
    return batch;
  }

  async carryOut(batch: readonly Member[]): Promise<void> {
    try {
      this.#observer.batch('update', batch.length);
      await this.#run(setMirrors, batch, (member) => this.#enqueue(member));
    } finally {
      for (const { line } of batch) this.#underWay.delete(line);
    }
  }

  /** If nothing was set, the campaign changed while its row was waited for. */
  async #waitForRow(member: Member): Promise<void> {
    this.#observer.batch('update', 1);
    await this.#run(setLockedMirror, [member], () => member.resolve(undefined));
  }

  /**
   * For updates that have waited too long: one whose caller is no longer valid, or whose campaign has changed, gets that
   * answer; Unavailable is for those that only wait for the lock.
   */
  async #checkOnce(members: readonly Member[], cause?: unknown): Promise<void> {
    for (let start = 0; start < members.length; start += maxBatchSize) {
      const batch = members
        .slice(start, start + maxBatchSize)
        .map((member) => ({ ...member, expected: noAddress }));
      this.#observer.batch('update', batch.length);
      await this.#run(setMirrors, batch, (member) =>
        member.reject(new Unavailable('the campaign was locked for too long', { cause })),
      );
    }
  }

  /** Answers each member. `passedOver` is called if the campaign is as it was seen, but the mirror was not set. */
  async #run(statement: Statement, batch: readonly Member[], passedOver: PassedOver): Promise<void> {
    try {
      const results = await this.#results(statement, batch);
      for (const [index, result] of results.entries()) answer(batch[index] as Member, result, passedOver);
    } catch (error) {
      await this.#failed(error, statement, batch, passedOver);
    }
  }

  async #results(statement: Statement, batch: readonly Member[]): Promise<SetResult[]> {
    return resultsOf(batch, await this.#statements.run(statement, callersValues(batch)));
  }

  /**
   * If nothing was done and a single member may be the cause, the members run one by one. After the first fault that is
   * not a member's own, the remaining ones are rejected with it.
   */
  async #failed(
    error: unknown,
    statement: Statement,
    batch: readonly Member[],
    passedOver: PassedOver,
  ): Promise<void> {
    if (statement === setLockedMirror && isCanceled(error)) return this.#checkOnce(batch, error.cause);
    const isRefused = isStatementsFault(error);
    if (isRefused) this.#observer.refused(statement.name, error);
    if (batch.length === 1 || !(isRefused || isMembersFault(error))) {
      for (const member of batch) member.reject(error);
      return;
    }
    this.#observer.splitUp('update');
    for (const [index, member] of batch.entries()) {
      try {
        const [result] = await member.origin.runInAsyncScope(() => this.#results(statement, [member]));
        answer(member, result as SetResult, passedOver);
      } catch (error) {
        member.reject(error);
        if (isMembersFault(error)) continue;
        for (const other of batch.slice(index + 1)) other.reject(error);
        return;
      }
    }
  }

  #enqueue(member: Member): void {
    try {
      this.#observer.setAside();
      this.#lockQueue.enter(member);
    } catch (error) {
      member.reject(error);
    }
  }
}

function answer(member: Member, result: SetResult, passedOver: PassedOver): void {
  if (result.kind === 'locked' || result.kind === 'address-differs') passedOver(member);
  else member.resolve(result);
}
