import type { Campaign, Mirror, SetMirrorResult } from '../set-campaign-mirror/ports.ts';
import { type Refusal, refusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { HostList, HostName } from '../values/hosts.ts';
import type { CampaignId, HistoryId, OwnerId } from '../values/identifiers.ts';
import { type AddressFault, type MirrorAddress, mirrorAddress } from '../values/mirror-address.ts';
import { type ExaminedMirrors, hostScanBatch, type MirrorQuery } from './campaign-settings.ts';
import type { AuditId } from './history-and-audit.ts';
import { type HostMove, isOnHost, movedAddress, namesHostElsewhere } from './host-move.ts';

/** The stored state of a campaign, with the address and the last change of its mirror, if it has one. */
export interface FoundMirror {
  readonly campaign: Campaign;
  readonly address: MirrorAddress | null;
  readonly lastChange: HistoryId | null;
}

/** The address that a mirror should get, and the conditions for setting it. */
export interface DesiredMirror {
  readonly campaign: CampaignId;
  readonly address: string;
  /** The line of the file that contains it. */
  readonly line?: number;
  /** The address that the mirror must have; undefined: any. */
  readonly expected?: string | undefined;
  /** The number that the mirror's last change must have; undefined: any. */
  readonly lastChange?: HistoryId | undefined;
  /** Who made a later change, such as `move 13`, `key 7` or `an operator`. */
  readonly changedBy?: string | null;
}

/** Mirrors that are checked together. `found`: their campaigns, if already read. `examined`: a number of mirrors. */
export interface DesiredBatch {
  readonly wanted: readonly DesiredMirror[];
  readonly found?: readonly FoundMirror[];
  readonly examined: number;
}

/** An act as the audit records it. The rule about the owner does not apply to it. */
export interface MirrorAct {
  readonly kind: 'mirror-set' | 'mirror-restored' | 'mirrors-moved';
  readonly details: Readonly<Record<string, string | number | boolean>>;
  /** The only owner whose mirrors are set. */
  readonly owner?: OwnerId | undefined;
  readonly includeDefault?: boolean;
}

/** A mirror to set, and the facts that must hold at the moment of the write; null or undefined: any. */
export interface MirrorToSet extends Pick<DesiredMirror, 'campaign' | 'expected'> {
  readonly address: MirrorAddress;
  readonly lastChange?: number | undefined;
  readonly owner: OwnerId | null;
  readonly isDefault: boolean | null;
}

/** `locked`: all facts hold, but another transaction has locked the mirror. Nothing was written. */
export type BatchSetResult = SetMirrorResult | { readonly kind: 'locked' };

/** The mirrors, for one act of the operator. Every method throws `Unavailable`. */
export interface OperatorMirrors {
  count(owner?: OwnerId): Promise<number>;
  /** The campaigns that exist, in any order. */
  find(campaigns: readonly CampaignId[]): Promise<readonly FoundMirror[]>;
  /** Examines the next mirrors, and returns those that may name a host. */
  findByHost(
    query: MirrorQuery & { readonly hosts: readonly HostName[] },
  ): Promise<ExaminedMirrors<FoundMirror & { address: MirrorAddress }>>;
  /** One transaction with the history and one audit entry. `waits`: waits for the lock of the only mirror. */
  set(mirrors: readonly MirrorToSet[], act: MirrorAct, waits: boolean): Promise<readonly BatchSetResult[]>;
  /** The number of the act in the audit; undefined until a mirror is set or an interrupted move is resumed. */
  readonly moveId: AuditId | undefined;
  /** Resumes the last move with the same details, if it was interrupted and not undone. */
  resume(act: MirrorAct): Promise<void>;
  /** Marks the move as finished: the next move with the same details gets its own number. */
  finish(act: MirrorAct): Promise<void>;
  /** The mirrors that a move set, with their addresses before it, in the order of the changes. */
  mirrorsToUndo(move: AuditId): AsyncIterable<DesiredMirror>;
  findMove(move: AuditId): Promise<FoundMove | undefined>;
}

/** A recorded move. */
export type FoundMove = Required<Pick<MirrorAct, 'includeDefault'>>;

/** Why a mirror was not set. `changed-since`: its last change is not the expected one. */
export type NotSet =
  | Refusal
  | AddressFault
  | 'campaign-not-found'
  | 'not-as-expected'
  | 'changed-since'
  | 'changed-meanwhile'
  | 'locked';

/** The outcome for one mirror. `before`: null without a mirror. `after`: null for an unchecked address from a file. */
export interface ChangeOutcome extends Pick<DesiredMirror, 'line' | 'campaign'> {
  readonly outcome: 'set' | 'would-set' | 'unchanged' | 'not-set';
  readonly before: string | null;
  readonly after: string | null;
  readonly because?: NotSet;
  /** Who made the later change. */
  readonly by?: string;
  readonly mirror?: Mirror;
}

/** How mirrors are changed. A dry run writes nothing. */
export interface ChangeOptions {
  readonly mirrors: OperatorMirrors;
  readonly denied: HostList;
  readonly act: MirrorAct;
  readonly dryRun?: boolean;
}

/** The number of mirrors in one transaction, and of failed lock waits after which no lock is waited for. */
const [setBatch, maxFailedWaits] = [500, 15];

/**
 * Sets mirrors as an act of the operator; the rule about the owner does not apply. Yields the outcomes, and between
 * them the number of mirrors examined: what came before it is committed, and the caller may stop. Locked mirrors come
 * last.
 */
export async function* changeMirrors(
  options: ChangeOptions,
  batches: AsyncIterable<DesiredBatch>,
): AsyncGenerator<ChangeOutcome | { readonly examined: number }> {
  const { mirrors, act, dryRun = false } = options;
  const locked: Settable[] = [];
  let examined = 0;
  let failedWaits = 0;
  let isFinished = act.kind === 'mirrors-moved' && !dryRun;
  if (isFinished) await mirrors.resume(act);
  const outcomeOf = ({ dryOutcome }: Settable, result: BatchSetResult): ChangeOutcome => {
    if (result.kind === 'mirror-set') return { ...dryOutcome, outcome: 'set', mirror: result.mirror };
    let because: NotSet = result.kind === 'locked' ? 'locked' : 'changed-meanwhile';
    if (result.kind === 'campaign-differs')
      because = result.campaign ? (refusalIn(act, result.campaign) ?? because) : 'campaign-not-found';
    // Another run of the same move can set these.
    isFinished &&= because !== 'locked' && because !== 'changed-meanwhile';
    return { ...dryOutcome, outcome: 'not-set', because };
  };
  yield { examined };
  for await (const batch of batches) {
    const found = batch.found ?? (await mirrors.find(batch.wanted.map(({ campaign }) => campaign)));
    const byCampaign = new Map(found.map((one) => [one.campaign.id, one]));
    const settable: Settable[] = [];
    for (const wanted of batch.wanted) {
      const checked = check(options, wanted, byCampaign.get(wanted.campaign));
      if ('toSet' in checked && !dryRun) settable.push(checked);
      else yield 'toSet' in checked ? checked.dryOutcome : checked;
    }
    for (let at = 0; at < settable.length; at += setBatch) {
      const together = settable.slice(at, at + setBatch);
      const toSet = together.map(({ toSet }) => toSet);
      const results = await mirrors.set(toSet, act, false);
      for (const [index, one] of together.entries()) {
        const result = results[index] as BatchSetResult;
        if (result.kind === 'locked') locked.push(one);
        else yield outcomeOf(one, result);
      }
      yield { examined };
    }
    examined += batch.examined;
    yield { examined };
  }
  for (const one of locked) {
    const waits = failedWaits < maxFailedWaits;
    const [result] = (await mirrors.set([one.toSet], act, waits)) as [BatchSetResult];
    if (result.kind === 'locked') failedWaits += 1;
    yield outcomeOf(one, result);
    yield { examined };
  }
  if (isFinished && mirrors.moveId) await mirrors.finish(act);
}

/** A mirror that passed the checks, and its outcome in a dry run. */
type Settable = { readonly toSet: MirrorToSet; readonly dryOutcome: ChangeOutcome };

function check(
  { act, denied }: ChangeOptions,
  { campaign, line, address, expected, lastChange, changedBy }: DesiredMirror,
  found: FoundMirror | undefined,
): Settable | ChangeOutcome {
  const before = found?.address ?? null;
  const mirror = { ...(line !== undefined && { line }), campaign, before };
  // An unchecked address from a file may contain a password.
  const shown = line === undefined || address === '' ? address : null;
  const notSet = (because: NotSet, after = shown) =>
    ({ ...mirror, outcome: 'not-set', after, because }) as const;
  if (!found) return notSet('campaign-not-found');
  // An export has an empty address for a campaign without a mirror. A command for one mirror always records a change.
  if (act.kind === 'mirrors-moved' && address === (before ?? ''))
    return { ...mirror, outcome: 'unchanged', after: before };
  if (lastChange !== undefined && before !== null && lastChange !== found.lastChange)
    return { ...notSet('changed-since'), ...(changedBy && { by: changedBy }) };
  const refusal = refusalIn(act, found.campaign);
  if (refusal) return notSet(refusal);
  const after = mirrorAddress(address, denied);
  if (typeof after !== 'string') return notSet(after.fault);
  if (expected !== undefined && expected !== before) return notSet('not-as-expected', after);
  const facts = { owner: act.owner ?? null, isDefault: act.includeDefault ? null : false };
  const toSet = { campaign, address: after, expected, lastChange, ...facts };
  return { toSet, dryOutcome: { ...mirror, outcome: 'would-set', after } };
}

function refusalIn({ includeDefault }: MirrorAct, campaign: Campaign): Refusal | undefined {
  const refusal = refusalOf(campaign, campaign);
  return refusal === 'default-campaign' && includeDefault ? undefined : refusal;
}

/** Changes one mirror, as `changeMirrors` does. */
export async function changeMirror(options: ChangeOptions, wanted: DesiredMirror): Promise<ChangeOutcome> {
  for await (const step of changeMirrors(options, inBatches([wanted]))) if ('outcome' in step) return step;
  throw new TypeError('the store returned no result');
}

/** Groups mirrors into batches. */
export async function* inBatches(all: Iterable<DesiredMirror> | AsyncIterable<DesiredMirror>) {
  let wanted: DesiredMirror[] = [];
  for await (const one of all)
    if (wanted.push(one) === setBatch) {
      yield { wanted, examined: wanted.length };
      wanted = [];
    }
  yield { wanted, examined: wanted.length };
}

/** Mirrors that name a host but do not move: on a name below it, or with the host in another part of the address. */
export interface UnmovedCounts {
  below: number;
  elsewhere: number;
}

/** The mirrors on the old hosts, with their addresses on the new host. Adds to `unmoved`. */
export async function* mirrorsOnHosts(
  mirrors: Pick<OperatorMirrors, 'findByHost'>,
  move: HostMove,
  owner: OwnerId | undefined,
  unmoved: UnmovedCounts,
): AsyncGenerator<DesiredBatch> {
  let after: CampaignId | undefined;
  do {
    const found = await mirrors.findByHost({ limit: hostScanBatch, hosts: move.from, after, owner });
    const wanted: DesiredMirror[] = [];
    for (const { campaign, address: expected } of found.mirrors) {
      const address = movedAddress(move, expected);
      if (address !== undefined) wanted.push({ campaign: campaign.id, address, expected });
      else if (isOnHost(expected, move.from, true)) unmoved.below += 1;
      if (namesHostElsewhere(expected, move.from)) unmoved.elsewhere += 1;
    }
    yield { wanted, found: found.mirrors, examined: found.examined };
    after = found.last;
  } while (after);
}
