import { AsyncResource } from 'node:async_hooks';
import {
  type AccessKeyId,
  accessKeyOf,
  type Campaign,
  type CampaignId,
  type MirrorChange,
  partsOf,
  type SetMirrorResult,
  type Subject,
  Unavailable,
} from '@campaign-mirror/domain';
import { isCanceled, isMembersFault, isStatementsFault } from '../connection/database-faults.ts';
import { plainArray, textArray } from '../statements/array-literal.ts';
import type { HotPathObserver } from '../statements/hot-path-observer.ts';
import { mirrorSetTo, type SetMirrorRow } from '../statements/mirror-row.ts';
import { setMirrorText } from '../statements/set-mirror-text.ts';
import type { Statement, Statements } from '../statements/statements.ts';
import { Batches, type Stage } from './batches.ts';
import { type CampaignColumns, campaignIn, isTrue } from './hot-path.ts';
import { LockQueue, type Queued } from './lock-queue.ts';
import { setChainsText, setHeldChainsText, setMirrorsText } from './set-mirrors-text.ts';

/** The maximum number of updates in one statement. */
const maxBatchSize = 128;

/** A single update, which is cheaper. */
const setMirror: Statement = { name: 'set-mirror', text: setMirrorText };
const setMirrors: Statement = { name: 'set-mirrors', text: setMirrorsText };
/** Costs more; needed where a campaign is updated more than once. */
const setChains: Statement = { name: 'set-mirror-chains', text: setChainsText };
/** The only one that waits for locks. */
const setHeldChains: Statement = { name: 'set-held-mirror-chains', text: setHeldChainsText };

/** Why a mirror was not set: whether the caller is valid, and the campaign as the statement saw it. */
type UnsetRow = readonly [
  null,
  null,
  null,
  null,
  callerIsValid: string | null,
  ...CampaignColumns,
  ...more: (string | null)[],
];
type Row = SetMirrorRow | UnsetRow;

/** The column with the place of a member, from 1 up, in a statement for many. */
const placeColumn = 8;

interface Member extends Queued {
  readonly campaign: CampaignId;
  readonly seen: Campaign;
  readonly change: MirrorChange;
  readonly by: RecordedSubject;
  resolve(result: SetMirrorResult | undefined): void;
}

/** A subject as the history stores it: its key's number, or the name of another actor. */
interface RecordedSubject {
  readonly actor: string;
  readonly key: AccessKeyId | null;
  readonly name: string | null;
}

type PassedOver = (member: Member) => void;

/**
 * Batched updates, as one statement and one commit. Those of one campaign are never in two batches at once. A batch waits
 * for no row: an update whose campaign or mirror is locked leaves it and waits in the lock queue. Each update is answered
 * from its own row.
 */
export class GroupedUpdates implements Stage<Member> {
  readonly #statements: Statements;
  readonly #observer: HotPathObserver;
  readonly #batches: Batches<Member>;
  readonly #held: LockQueue<Member>;
  /** The campaigns of the batches that are under way. */
  readonly #underWay = new Set<CampaignId>();

  constructor(
    statements: Statements,
    { maxHeld, timeout }: { readonly maxHeld: number; readonly timeout: number },
    observer: HotPathObserver,
  ) {
    this.#statements = statements;
    this.#observer = observer;
    this.#batches = new Batches(this, timeout);
    const limits = { maxCampaigns: maxHeld, maxTogether: maxBatchSize, timeout };
    this.#held = new LockQueue(
      (members) => this.#waitForRow(members),
      (members) => this.#lookOnce(members),
      limits,
    );
  }

  set(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult | undefined> {
    return new Promise((resolve, reject) => {
      const origin = new AsyncResource('MirrorUpdate');
      const since = performance.now();
      // By owner, too: a caller that is not the owner is refused at once, and does not wait for the row.
      const line = `${seen.id} ${seen.ownerId}`;
      const by = recorded(change.by.subject);
      this.#batches.add({ line, campaign: seen.id, seen, change, by, origin, since, resolve, reject });
    });
  }

  take(waiting: Member[]): Member[] {
    const batch: Member[] = [];
    const others: Member[] = [];
    let looked = 0;
    for (; looked < waiting.length && batch.length < maxBatchSize; looked++) {
      const member = waiting[looked] as Member;
      if (this.#held.has(member.line)) this.#hold(member);
      // It would find the campaign locked by the batch that is under way.
      else if (this.#underWay.has(member.campaign)) others.push(member);
      else batch.push(member);
    }
    waiting.splice(0, looked, ...others);
    return batch;
  }

  async carryOut(batch: readonly Member[]): Promise<void> {
    this.#observer.batch('update', batch.length);
    const campaigns = new Set(batch.map(({ campaign }) => campaign));
    for (const campaign of campaigns) this.#underWay.add(campaign);
    try {
      const statement = campaigns.size === batch.length ? setMirrors : setChains;
      await this.#run(statement, batch, (member) => this.#hold(member));
    } finally {
      for (const campaign of campaigns) this.#underWay.delete(campaign);
    }
  }

  /** Where nothing was set, the campaign changed while its row was waited for. */
  async #waitForRow(members: readonly Member[]): Promise<void> {
    this.#observer.batch('update', members.length);
    await this.#run(setHeldChains, members, (member) => member.resolve(undefined));
  }

  /**
   * For updates that have waited too long: one whose caller is no longer valid, or whose campaign has changed, gets that
   * answer; Unavailable is for those that only wait for the lock.
   */
  async #lookOnce(members: readonly Member[], cause?: unknown): Promise<void> {
    for (let at = 0; at < members.length; at += maxBatchSize) {
      const batch = members.slice(at, at + maxBatchSize);
      this.#observer.batch('update', batch.length);
      await this.#run(setChains, batch, (member) =>
        member.reject(new Unavailable('the campaign was locked for too long', { cause })),
      );
    }
  }

  /** Answers each member. `passedOver`: the campaign is as it was seen, but the mirror was not set. */
  async #run(statement: Statement, batch: readonly Member[], passedOver: PassedOver): Promise<void> {
    try {
      const rows = await this.#rows(statement, batch);
      // Otherwise some member would wait forever.
      if (rows.length !== batch.length) throw new Error(`${rows.length} rows for ${batch.length} updates`);
      for (const [at, row] of rows.entries()) {
        answer(batch[Number(row[placeColumn] ?? at + 1) - 1] as Member, row, passedOver);
      }
    } catch (error) {
      await this.#failed(error, statement, batch, passedOver);
    }
  }

  #rows(statement: Statement, batch: readonly Member[]): Promise<Row[]> {
    const [only, second] = batch;
    return only && !second && statement !== setHeldChains
      ? this.#statements.run<Row>(setMirror, valuesOf(only))
      : this.#statements.run<Row>(statement, arraysOf(batch));
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
    if (statement === setHeldChains && isCanceled(error)) return this.#lookOnce(batch, error.cause);
    const isRefused = isStatementsFault(error);
    if (isRefused) this.#observer.refused(statement.name, error);
    if (batch.length === 1 || !(isRefused || isMembersFault(error))) {
      for (const member of batch) member.reject(error);
      return;
    }
    this.#observer.splitUp('update');
    for (const [at, member] of batch.entries()) {
      try {
        const [row] = await member.origin.runInAsyncScope(() => this.#rows(statement, [member]));
        answer(member, row as Row, passedOver);
      } catch (error) {
        member.reject(error);
        if (isMembersFault(error)) continue;
        for (const other of batch.slice(at + 1)) other.reject(error);
        return;
      }
    }
  }

  #hold(member: Member): void {
    try {
      this.#observer.setAside();
      this.#held.enter(member);
    } catch (error) {
      member.reject(error);
    }
  }
}

function answer(member: Member, row: Row, passedOver: PassedOver): void {
  const result = resultOf(member, row);
  if (result) member.resolve(result);
  else passedOver(member);
}

/** Undefined where the campaign is as it was seen. */
function resultOf({ seen, change }: Member, row: Row): SetMirrorResult | undefined {
  if (isSet(row)) return { kind: 'mirror-set', mirror: mirrorSetTo(seen.id, change.address, row) };
  const [, , , , callerIsValid, ...columns] = row;
  if (!isTrue(callerIsValid)) return { kind: 'caller-invalid' };
  const campaign = campaignIn(seen.id, columns as unknown as CampaignColumns);
  return campaign && isAs(seen, campaign) ? undefined : { kind: 'campaign-differs', campaign };
}

function isSet(row: Row): row is SetMirrorRow {
  return row[0] !== null;
}

function isAs(seen: Campaign, { ownerId, isDefault, hasMirror }: Campaign): boolean {
  return ownerId === seen.ownerId && isDefault === seen.isDefault && hasMirror === seen.hasMirror;
}

function recorded(subject: Subject): RecordedSubject {
  const { kind, name = null } = partsOf(subject);
  const key = accessKeyOf(subject) ?? null;
  return { actor: kind, key, name: key === null ? name : null };
}

function valuesOf({ seen, change: { address, requestId }, by: { key, actor, name } }: Member) {
  return [seen.id, seen.ownerId, seen.isDefault, address, key, requestId, actor, name];
}

function arraysOf(batch: readonly Member[]): string[] {
  return [
    plainArray(batch.map(({ campaign }) => campaign)),
    plainArray(batch.map(({ seen }) => seen.ownerId)),
    plainArray(batch.map(({ seen }) => seen.isDefault)),
    textArray(batch.map(({ change }) => change.address)),
    plainArray(batch.map(({ by }) => by.key)),
    textArray(batch.map(({ change }) => change.requestId)),
    textArray(batch.map(({ by }) => by.actor)),
    textArray(batch.map(({ by }) => by.name)),
  ];
}
