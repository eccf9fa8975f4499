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
  type HotPathObserver,
  type Statement,
  type Statements,
  silentHotPathObserver,
} from '../statements/statements.ts';
import { Batches, type Stage } from './batches.ts';
import type { LookUps } from './identity.ts';
import type { KeyUses } from './key-uses.ts';
import { LockQueue, type Queued } from './lock-queue.ts';

/** How addresses are set in PostgreSQL. */
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

/*
 * The states of an update, from its arrival to its answer:
 *
 * 1. It waits in `Batches` until a batch takes it: at the end of this turn of the event loop if none is under way,
 *    otherwise when that one ends. Beside a small batch, a second one may be sent earlier.
 * 2. It is under way with the others of its batch, in one statement that waits for no lock. A second update of the same
 *    line (a campaign, and the owner that its caller saw) is not taken until this one has ended.
 * 3. If its mirror is locked, it enters the `LockQueue`. The first of a line waits in the database, on a connection of its
 *    own, for at most `maxLocked` lines; the others of the line wait behind it. While a line waits, later updates of it
 *    go there without a batch.
 *
 * It is answered from its own row: in state 2 or 3 with the mirror, or with what is different. It is rejected in state 1
 * or 3 if its turn does not come within `timeout`; in state 3 the database is asked once more whether its caller and its
 * campaign are still as they were, since this answer would come before a lock. If a statement fails, and one member may be
 * the cause, its members run one by one.
 */

/** The maximum number of updates in one statement. */
const maxBatchSize = 128;

const setMirrors: Statement = { name: 'set-mirrors', text: setMirrorsText({ waits: false }) };
/** For one update; the only one that waits for a lock. */
const setLockedMirror: Statement = { name: 'set-locked-mirror', text: setMirrorsText({ waits: true }) };

/** No mirror has it: a statement that expects it sets nothing. */
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
      (members) => this.#lookOnce(members),
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
    let looked = 0;
    for (; looked < waiting.length && batch.length < maxBatchSize; looked++) {
      const member = waiting[looked] as Member;
      if (this.#lockQueue.has(member.line)) this.#enqueue(member);
      else if (this.#underWay.has(member.line)) others.push(member);
      else {
        this.#underWay.add(member.line);
        batch.push(member);
      }
    }
    waiting.splice(0, looked, ...others);
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

  /** Where nothing was set, the campaign changed while its row was waited for. */
  async #waitForRow(member: Member): Promise<void> {
    this.#observer.batch('update', 1);
    await this.#run(setLockedMirror, [member], () => member.resolve(undefined));
  }

  /**
   * For updates that have waited too long: one whose caller is no longer valid, or whose campaign has changed, gets that
   * answer; Unavailable is for those that only wait for the lock.
   */
  async #lookOnce(members: readonly Member[], cause?: unknown): Promise<void> {
    for (let at = 0; at < members.length; at += maxBatchSize) {
      const batch = members.slice(at, at + maxBatchSize).map((one) => ({ ...one, expected: noAddress }));
      this.#observer.batch('update', batch.length);
      await this.#run(setMirrors, batch, (member) =>
        member.reject(new Unavailable('the campaign was locked for too long', { cause })),
      );
    }
  }

  /** Answers each member. `passedOver`: the campaign is as it was seen, but the mirror was not set. */
  async #run(statement: Statement, batch: readonly Member[], passedOver: PassedOver): Promise<void> {
    try {
      const results = await this.#results(statement, batch);
      for (const [at, result] of results.entries()) answer(batch[at] as Member, result, passedOver);
    } catch (error) {
      await this.#failed(error, statement, batch, passedOver);
    }
  }

  async #results(statement: Statement, batch: readonly Member[]): Promise<SetResult[]> {
    return resultsOf(batch, await this.#statements.run(statement, callersValues(batch)));
  }

  /**
   * Where nothing was done and a single member may be the cause, they run one by one. After the first fault that is not
   * a member's own, the remaining ones are rejected with it.
   */
  async #failed(
    error: unknown,
    statement: Statement,
    batch: readonly Member[],
    passedOver: PassedOver,
  ): Promise<void> {
    if (statement === setLockedMirror && isCanceled(error)) return this.#lookOnce(batch, error.cause);
    const isRefused = isStatementsFault(error);
    if (isRefused) this.#observer.refused(statement.name, error);
    if (batch.length === 1 || !(isRefused || isMembersFault(error))) {
      for (const member of batch) member.reject(error);
      return;
    }
    this.#observer.splitUp('update');
    for (const [at, member] of batch.entries()) {
      try {
        const [result] = await member.origin.runInAsyncScope(() => this.#results(statement, [member]));
        answer(member, result as SetResult, passedOver);
      } catch (error) {
        member.reject(error);
        if (isMembersFault(error)) continue;
        for (const other of batch.slice(at + 1)) other.reject(error);
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
