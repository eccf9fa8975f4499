import { type Campaign, type Mirror, type MirrorChange, Unavailable } from '@campaign-mirror/domain';
import { plainArray, textArray } from './array-literal.ts';
import { Batches, type Stage } from './batches.ts';
import { isRefusedByServer, isRetryable } from './database-faults.ts';
import type { MirrorUpdates } from './hot-path.ts';
import type { Call, HotPathObserver } from './hot-path-observer.ts';
import { mirrorSetTo, type SetMirrorRow } from './mirror-row.ts';
import { setChainsText, setMirrorsText } from './set-mirrors-text.ts';
import type { SingleStatements } from './single-statements.ts';
import type { Statement, Statements } from './statements.ts';
import { type Held, WaitingRoom, type WaitingRoomLimits } from './waiting-room.ts';

/** Updates of one statement, at most. */
const most = 128;

const setMirrors: Statement = { name: 'set-mirrors', text: setMirrorsText };
/** Costs more, and is needed where a campaign is updated more than once. */
const setChains: Statement = { name: 'set-mirror-chains', text: setChainsText };

interface Member extends Held, Call {
  readonly seen: Campaign;
  readonly change: MirrorChange;
  resolve(mirror: Mirror | undefined): void;
}

/**
 * Updates that go together, as one statement and one commit. A batch waits for no row: whose campaign or mirror is
 * held leaves it and waits elsewhere. Each is answered by its own row.
 */
export class GroupedUpdates implements MirrorUpdates {
  readonly #batches: Batches<Member>;
  readonly #observer: HotPathObserver;

  constructor(
    statements: Statements,
    alone: SingleStatements,
    limits: WaitingRoomLimits,
    observer: HotPathObserver,
  ) {
    this.#observer = observer;
    const held = new WaitingRoom<Member>(
      {
        wait: (member) => {
          observer.alone?.(member);
          return alone.set(member.seen, member.change).then(member.resolve, member.reject);
        },
        tryAgain: (members) => this.#batches.putBack(members),
      },
      limits,
    );
    this.#batches = new Batches(new UpdateStage(statements, alone, held, observer), limits.patience);
  }

  set(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined> {
    return new Promise((resolve, reject) => {
      const origin = this.#observer.origin?.();
      const since = performance.now();
      this.#batches.add({ campaign: seen.id, seen, change, origin, since, resolve, reject });
    });
  }
}

class UpdateStage implements Stage<Member> {
  readonly #statements: Statements;
  readonly #alone: SingleStatements;
  readonly #held: WaitingRoom<Member>;
  readonly #observer: HotPathObserver;

  constructor(
    statements: Statements,
    alone: SingleStatements,
    held: WaitingRoom<Member>,
    observer: HotPathObserver,
  ) {
    this.#statements = statements;
    this.#alone = alone;
    this.#held = held;
    this.#observer = observer;
  }

  /** Updates of one campaign go together when they were judged on the same facts; on others they wait. */
  take(waiting: Member[]): Member[] {
    const batch: Member[] = [];
    const left: Member[] = [];
    const judged = new Map<number, Campaign>();
    let looked = 0;
    for (; looked < waiting.length && batch.length < most; looked++) {
      const member = waiting[looked] as Member;
      const facts = judged.get(member.campaign) ?? member.seen;
      judged.set(member.campaign, facts);
      (areSame(facts, member.seen) ? batch : left).push(member);
    }
    waiting.splice(0, looked, ...left);
    return batch;
  }

  async carryOut(batch: readonly Member[]): Promise<void> {
    this.#observer.batch('update', batch.length, batch);
    const [first, second] = batch;
    if (first && !second) return this.#setAlone(first);
    const campaigns = new Set(batch.map(({ campaign }) => campaign));
    const statement = campaigns.size === batch.length ? setMirrors : setChains;
    let rows: SetMirrorRow[];
    try {
      rows = await this.#statements.run<SetMirrorRow>(statement, valuesOf(batch));
    } catch (error) {
      if (isUndone(error)) return this.#oneByOne(batch);
      for (const member of batch) member.reject(error);
      return;
    }
    const unanswered = new Set(batch);
    for (const row of rows) {
      const member = batch[Number(row[4]) - 1] as Member;
      unanswered.delete(member);
      answer(member, row);
    }
    for (const member of unanswered) this.#hold(member);
  }

  /** After a fault that one member may have brought upon all. */
  async #oneByOne(batch: readonly Member[]): Promise<void> {
    this.#observer.splitUp('update');
    for (const member of batch) await this.#setAlone(member);
  }

  async #setAlone(member: Member): Promise<void> {
    this.#observer.alone?.(member);
    try {
      const mirror = await this.#alone.setUnlessLocked(member.seen, member.change);
      if (mirror) member.resolve(mirror);
      else this.#hold(member);
    } catch (error) {
      member.reject(error);
    }
  }

  #hold(member: Member): void {
    this.#observer.setAside();
    this.#held.enter(member);
  }
}

function areSame(one: Campaign, other: Campaign): boolean {
  return one.ownerId === other.ownerId && one.isDefault === other.isDefault;
}

/** Whether the database said that it did nothing: then a single member may be at fault. */
function isUndone(error: unknown): boolean {
  return error instanceof Unavailable ? isRetryable(error.cause) : isRefusedByServer(error);
}

function valuesOf(batch: readonly Member[]): string[] {
  return [
    plainArray(batch.map(({ campaign }) => campaign)),
    plainArray(batch.map(({ seen }) => seen.ownerId)),
    plainArray(batch.map(({ seen }) => seen.isDefault)),
    textArray(batch.map(({ change }) => change.address)),
    plainArray(batch.map(({ change }) => change.by.accessKeyId)),
    textArray(batch.map(({ change }) => change.requestId)),
  ];
}

function answer(member: Member, row: SetMirrorRow): void {
  try {
    member.resolve(mirrorSetTo(member.seen.id, member.change.address, row));
  } catch (error) {
    member.reject(error);
  }
}
