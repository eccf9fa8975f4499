import type { Campaign, Mirror, SetMirrorResult } from '../set-campaign-mirror/campaign-repository.ts';
import { type Refusal, refusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { HostList, HostName } from '../values/hosts.ts';
import type { CampaignId, HistoryId, OwnerId } from '../values/identifiers.ts';
import * as values from '../values/mirror-address.ts';
import { type ExaminedMirrors, examinedTogether, type MirrorPage } from './campaign-settings.ts';
import type { AuditId } from './history-and-audit.ts';
import { type HostMove, isOnHost, movedAddress, namesHostElsewhere } from './moved-address.ts';

/** A campaign as it is, with the address and the last change of its mirror, if it has one. */
export interface FoundMirror {
  readonly campaign: Campaign;
  readonly address: values.MirrorAddress | null;
  readonly lastChange: HistoryId | null;
}

/** A mirror that is to get an address, and what must still be so when it is set. */
export interface WantedMirror {
  readonly campaign: CampaignId;
  readonly address: string;
  /** The line of the file that names it. */
  readonly line?: number;
  /** The address that it must have; undefined: any. */
  readonly expected?: string | undefined;
  /** The number of the change that must be its last one; undefined: any. */
  readonly lastChange?: HistoryId | undefined;
  /** Who made another last change, such as `move 13`, `key 7` or `an operator`. */
  readonly changedBy?: string | null;
}

/** Mirrors that are judged together. `found`: the campaigns, if they were read already. */
export interface WantedPage {
  readonly wanted: readonly WantedMirror[];
  readonly found?: readonly FoundMirror[];
  /** How many mirrors were examined for this page. */
  readonly examined: number;
}

/** An act in the audit: its kind, its details, and for whose mirrors it may be. The third rule does not apply to it. */
export interface MirrorAct {
  readonly kind: 'mirror-set' | 'mirror-restored' | 'mirrors-moved';
  readonly details: Readonly<Record<string, string | number | boolean>>;
  /** The only one whose mirrors are set. */
  readonly owner?: OwnerId | undefined;
  /** Whether mirrors of default campaigns are set, too. */
  readonly includeDefault?: boolean;
}

/** A mirror to set if, at the moment of the write, what is given still holds; null or undefined: any. */
export interface MirrorToSet extends Pick<WantedMirror, 'campaign' | 'expected'> {
  readonly address: values.MirrorAddress;
  readonly lastChange?: number | undefined;
  readonly owner: OwnerId | null;
  readonly isDefault: boolean | null;
}

/** `locked`: all is as expected, but another transaction holds the mirror. Nothing was written. */
export type SetResult = SetMirrorResult | { readonly kind: 'locked' };

/** The operator's way to mirrors, for one act. */
export interface OperatorMirrors {
  count(owner?: OwnerId): Promise<number>;
  /** Those of these campaigns that exist, in any order. */
  find(campaigns: readonly CampaignId[]): Promise<readonly FoundMirror[]>;
  /** The next mirrors, of which the returned ones may name a host. */
  naming(
    page: MirrorPage & { readonly hosts: readonly HostName[] },
  ): Promise<ExaminedMirrors<FoundMirror & { address: values.MirrorAddress }>>;
  /**
   * Sets the mirrors, with their rows in the history and an entry in the audit: all is committed, or nothing. The results
   * are in the order of the mirrors. With `waits`, for a single mirror, a lock is waited for.
   * @throws Unavailable
   */
  set(mirrors: readonly MirrorToSet[], act: MirrorAct, waits: boolean): Promise<readonly SetResult[]>;
  /** The number of this act in the audit; undefined until a mirror was set, or an interrupted move goes on. */
  readonly moveId: AuditId | undefined;
  /** Goes on with the last move that has these details, if it was interrupted and not undone. */
  resume(act: MirrorAct): Promise<void>;
  /** Notes that nothing is left of the move, so that the next one with these details is another move. */
  finish(act: MirrorAct): Promise<void>;
  /** The mirrors that a move has set, with their addresses from before it, in the order of their changes. */
  undoing(move: AuditId): AsyncIterable<WantedMirror>;
  /** Undefined if there is no such move. */
  findMove(move: AuditId): Promise<FoundMove | undefined>;
}

/** A move of mirrors that was made. */
export interface FoundMove {
  /** The last move that undid it, if any. */
  readonly undoneBy: AuditId | null;
  readonly includeDefault: boolean;
}

/** Why a mirror was not set. `changed-since`: another change than the expected one is its last. */
export type NotSet =
  | Refusal
  | values.AddressFault
  | 'campaign-not-found'
  | 'not-as-expected'
  | 'changed-since'
  | 'changed-meanwhile'
  | 'locked';

/** What became of a mirror. `before`: null if there is none. `after`: null for what a line says, unless it was checked. */
export interface ChangedMirror extends Pick<WantedMirror, 'line' | 'campaign'> {
  readonly outcome: 'set' | 'would-set' | 'unchanged' | 'not-set';
  readonly before: string | null;
  readonly after: string | null;
  readonly because?: NotSet;
  /** Who made the change because of which it was not set, if that is known. */
  readonly by?: string;
  /** The mirror, if it was set. */
  readonly mirror?: Mirror;
}

/** How many mirrors were examined. All that was set so far is committed, and was reported before. */
export interface Progress {
  readonly examined: number;
}

/** How mirrors are changed. A dry run reports what would be set, and writes nothing. */
export interface Changing {
  readonly mirrors: OperatorMirrors;
  readonly denied: HostList;
  readonly act: MirrorAct;
  readonly dryRun?: boolean;
}

/** The number of mirrors that are set together. */
const setTogether = 500;
/** How many waits for locked mirrors may end without the lock; after them, none is waited for. */
const maxLostWaits = 15;

/**
 * Sets mirrors as an act of the operator: the rules hold but for the third one, and those of the address. To stop it, stop
 * iterating at a progress. Locked mirrors come last, one by one.
 */
export async function* changeMirrors(
  changing: Changing,
  pages: AsyncIterable<WantedPage>,
): AsyncGenerator<ChangedMirror | Progress> {
  const { mirrors, act, dryRun = false } = changing;
  const locked: Ready[] = [];
  let examined = 0;
  let lostWaits = 0;
  let isFinished = act.kind === 'mirrors-moved' && !dryRun;
  if (isFinished) await mirrors.resume(act);
  const changed = (one: Ready, result: SetResult) => {
    const told = changedMirror(act, one, result);
    // What can be set when the move is run again belongs to it.
    isFinished &&= told.because !== 'locked' && told.because !== 'changed-meanwhile';
    return told;
  };
  yield { examined };
  for await (const page of pages) {
    const found = page.found ?? (await mirrors.find(page.wanted.map(({ campaign }) => campaign)));
    const seen = new Map(found.map((one) => [one.campaign.id, one]));
    const ready: Ready[] = [];
    for (const wanted of page.wanted) {
      const judged = judge(changing, wanted, seen.get(wanted.campaign));
      if ('toSet' in judged && !dryRun) ready.push(judged);
      else yield 'toSet' in judged ? judged.would : judged;
    }
    for (let at = 0; at < ready.length; at += setTogether) {
      const batch = ready.slice(at, at + setTogether);
      const results = await mirrors.set(
        batch.map(({ toSet }) => toSet),
        act,
        false,
      );
      for (const [index, one] of batch.entries()) {
        const result = results[index] as SetResult;
        if (result.kind === 'locked') locked.push(one);
        else yield changed(one, result);
      }
      yield { examined };
    }
    examined += page.examined;
    yield { examined };
  }
  for (const one of locked) {
    const waits = lostWaits < maxLostWaits;
    const [result] = (await mirrors.set([one.toSet], act, waits)) as [SetResult];
    if (result.kind === 'locked') lostWaits += 1;
    yield changed(one, result);
    yield { examined };
  }
  if (isFinished && mirrors.moveId) await mirrors.finish(act);
}

/** A mirror that can be set, and what a dry run says of it. */
interface Ready {
  readonly toSet: MirrorToSet;
  readonly would: ChangedMirror;
}

function judge(
  { act, denied }: Changing,
  wanted: WantedMirror,
  seen: FoundMirror | undefined,
): Ready | ChangedMirror {
  const { campaign, line, expected, lastChange, changedBy } = wanted;
  const before = seen?.address ?? null;
  const mirror = { ...(line !== undefined && { line }), campaign, before };
  // What a line says is not checked yet, and not repeated: it may hold a password.
  const asked = line === undefined || wanted.address === '' ? wanted.address : null;
  const not = (because: NotSet, after = asked) =>
    ({ ...mirror, outcome: 'not-set', after, because }) as const;
  if (!seen) return not('campaign-not-found');
  // An export has an empty address for a campaign without a mirror. Setting one mirror to its address is a change all the same.
  if (act.kind === 'mirrors-moved' && wanted.address === (before ?? ''))
    return { ...mirror, outcome: 'unchanged', after: before };
  if (lastChange !== undefined && before !== null && lastChange !== seen.lastChange)
    return { ...not('changed-since'), ...(changedBy && { by: changedBy }) };
  const refusal = refusalIn(act, seen.campaign);
  if (refusal) return not(refusal);
  const after = values.mirrorAddress(wanted.address, denied);
  if (typeof after !== 'string') return not(after.fault);
  if (expected !== undefined && expected !== before) return not('not-as-expected', after);
  const facts = { owner: act.owner ?? null, isDefault: act.includeDefault ? null : false };
  const toSet = { campaign, address: after, expected, lastChange, ...facts };
  return { toSet, would: { ...mirror, outcome: 'would-set', after } };
}

function refusalIn({ includeDefault }: MirrorAct, campaign: Campaign): Refusal | undefined {
  const because = refusalOf(campaign, campaign);
  return because === 'default-campaign' && includeDefault ? undefined : because;
}

function changedMirror(act: MirrorAct, { would }: Ready, result: SetResult): ChangedMirror {
  if (result.kind === 'mirror-set') return { ...would, outcome: 'set', mirror: result.mirror };
  let because: NotSet = result.kind === 'locked' ? 'locked' : 'changed-meanwhile';
  if (result.kind === 'campaign-differs')
    because = result.campaign ? (refusalIn(act, result.campaign) ?? because) : 'campaign-not-found';
  return { ...would, outcome: 'not-set', because };
}

/** The same for one mirror. */
export async function changeMirror(changing: Changing, wanted: WantedMirror): Promise<ChangedMirror> {
  for await (const step of changeMirrors(changing, inPages([wanted]))) if ('outcome' in step) return step;
  throw new TypeError('the store has no result');
}

/** Those that are given, in pages. */
export async function* inPages(all: Iterable<WantedMirror> | AsyncIterable<WantedMirror>) {
  let wanted: WantedMirror[] = [];
  for await (const one of all)
    if (wanted.push(one) === setTogether) {
      yield { wanted, examined: wanted.length };
      wanted = [];
    }
  yield { wanted, examined: wanted.length };
}

/** How many mirrors name a host, but stay as they are: on a name below it, or with it elsewhere in their address. */
export interface LeftOut {
  below: number;
  elsewhere: number;
}

/** Counts an address that names one of the hosts. `to`: the host to which those move. */
export function countLeft(
  left: LeftOut,
  address: string,
  from: readonly HostName[],
  isMoved: boolean,
  to?: HostMove,
): void {
  const stays = !isMoved && !(to && isOnHost(address, [to.to.name], to.subdomains));
  if (stays && isOnHost(address, from, true)) left.below += 1;
  if (namesHostElsewhere(address, from)) left.elsewhere += 1;
}

/** The mirrors on the old hosts, with their addresses on the new one. Adds to `left`. */
export async function* onHost(
  mirrors: Pick<OperatorMirrors, 'naming'>,
  move: HostMove,
  owner: OwnerId | undefined,
  left: LeftOut,
): AsyncGenerator<WantedPage> {
  let after: CampaignId | undefined;
  do {
    const page = await mirrors.naming({ limit: examinedTogether, hosts: move.from, after, owner });
    const wanted: WantedMirror[] = [];
    for (const { campaign, address } of page.mirrors) {
      const to = movedAddress(move, address);
      if (to !== undefined) wanted.push({ campaign: campaign.id, address: to, expected: address });
      countLeft(left, address, move.from, to !== undefined, move);
    }
    yield { wanted, found: page.mirrors, examined: page.examined };
    after = page.last;
  } while (after);
}
