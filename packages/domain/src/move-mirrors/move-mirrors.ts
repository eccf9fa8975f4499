import * as settings from '../operator/campaign-settings.ts';
import type { AuditId } from '../operator/history-and-audit.ts';
import type { Campaign } from '../set-campaign-mirror/campaign-repository.ts';
import { type Refusal, refusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type * as hosts from '../values/hosts.ts';
import type { CampaignId, HistoryId, OwnerId } from '../values/identifiers.ts';
import * as values from '../values/mirror-address.ts';
import { type HostMove, movedAddress } from './moved-address.ts';

/** A campaign as it is, with the address of its mirror or null and, if it was found by its number, the last change. */
export interface FoundCampaign<Address = values.MirrorAddress | null> {
  readonly campaign: Campaign;
  readonly address: Address;
  readonly lastChange?: HistoryId | null;
}

/** A mirror, its address, and the one that it is to have. */
export interface MirrorMove {
  readonly line?: number;
  readonly campaign: CampaignId;
  readonly before: values.MirrorAddress;
  readonly after: values.MirrorAddress;
}

/** The details in the audit, and the conditions, which hold at the moment of the write. */
export interface MoveOptions {
  readonly details: Readonly<Record<string, string | number | boolean>>;
  /** The only one whose mirrors are moved. */
  readonly owner?: OwnerId;
  readonly includeDefault: boolean;
}

/** What became of a mirror that was to be moved; unless it is `moved`, nothing was written. */
export type MirrorMoveOutcome = 'moved' | 'changed-meanwhile' | 'locked';

/**
 * Gives many mirrors other addresses for an operator. An instance makes one move. A call commits its changes with their
 * rows in the history and their entry in the audit, or nothing.
 */
export interface MirrorMoves {
  count(owner?: OwnerId): Promise<number>;
  find(page: settings.MirrorPage): Promise<settings.ExaminedMirrors<FoundCampaign<values.MirrorAddress>>>;
  /** Those of these campaigns that exist, in any order. */
  findCampaigns(campaigns: readonly CampaignId[]): Promise<readonly FoundCampaign[]>;
  /**
   * Makes each move if, at the moment of the write, the conditions hold and the address is still the one that was read.
   * The outcomes are in the order of the moves; those without one are not made yet, and are to be applied again, first.
   */
  apply(
    moves: readonly MirrorMove[],
    options: MoveOptions,
  ): Promise<readonly (MirrorMoveOutcome | undefined)[]>;
  /** The identifier of this move in the audit; undefined until a mirror was moved. */
  readonly moveId: AuditId | undefined;
  /** What undoes the changes of a move, in their order, after `after`; nothing if there is no such move. */
  undoing(move: AuditId, after: HistoryId | undefined, limit: number): Promise<readonly AddressLine[]>;
  /** The last move that undid this one, or null if none did; undefined if there is no such move. */
  undoneBy(move: AuditId): Promise<AuditId | null | undefined>;
}

/** How mirrors are moved. A dry run reports what would be done, and writes nothing. */
export interface Moving extends Omit<MoveOptions, 'details'> {
  readonly mirrors: MirrorMoves;
  readonly denied: hosts.HostList;
  readonly dryRun: boolean;
}

/** The address for a campaign: by a line of a file, or to undo a change, which must be the mirror's last one. */
export interface AddressLine extends Pick<MirrorMove, 'line' | 'campaign'> {
  readonly address: string;
  /** The address that the mirror must have; empty: any. */
  readonly expected: string;
  readonly change?: HistoryId;
}

/** A line of a file, or what a dry run has made of it. */
export type MoveLine = AddressLine | MirrorMoved;

/** An examined mirror: moved, or why it was not. `before` is null if there is none, `after` undefined if unknown. */
export type MirrorMoved =
  | (MirrorMove & { readonly kind: MirrorMoveOutcome | 'would-move' })
  /** `unchanged`: it has the address already. `not-as-expected`: it has another one than the line expects. */
  | (NotMoved & { readonly kind: 'unchanged' | 'not-on-host' | 'not-as-expected' | 'changed-since' })
  | (NotMoved & { readonly kind: 'refused'; readonly because: Refusal | 'campaign-not-found' })
  | (NotMoved & { readonly kind: 'invalid'; readonly because: values.AddressFault })
  /** A line that cannot be read; the text is the driving adapter's. */
  | { readonly kind: 'unread'; readonly line: number; readonly because: string };

interface NotMoved extends Pick<MirrorMove, 'line' | 'campaign'> {
  readonly before: string | null;
  readonly after: string | undefined;
}

/** How many mirrors were examined so far. All that was written is committed, and was reported before. */
export type MoveProgress = { readonly kind: 'progress'; readonly examined: number };

/** To stop a move, stop iterating at a `progress`. To resume it, repeat it: moved mirrors are not moved again. */
type Events = AsyncGenerator<MirrorMoved | MoveProgress>;

type Pages = AsyncIterable<{ readonly results: readonly MirrorMoved[]; readonly examined: number }>;

/** The number of mirrors moved together. */
const batchSize = 500;

/**
 * Moves every mirror on one host to another, as an act of the operator: the third rule does not apply, nor does the
 * second if default campaigns are included.
 */
export function moveMirrors(moving: Moving, move: HostMove): Events {
  const { from: host, to, subdomains } = move;
  async function* pages() {
    let after: CampaignId | undefined;
    do {
      const asked = { limit: settings.examinedTogether, host, after, owner: moving.owner };
      const { mirrors, examined, last } = await moving.mirrors.find(asked);
      yield { results: mirrors.map((found) => moveOf(moving, move, found)), examined };
      after = last;
    } while (after);
  }
  return makeMoves(moving, { from: host, to: to.written, subdomains }, pages());
}

/**
 * Gives campaigns the addresses of the lines, at most one line for each, as an act of the operator. A line that a dry
 * run has judged is not judged again: the mirror is set if it is as the dry run saw it.
 */
export function moveToAddresses(moving: Moving, lines: readonly MoveLine[], source: string): Events {
  async function* pages() {
    for (let at = 0; at < lines.length; at += batchSize)
      yield judged(moving, lines.slice(at, at + batchSize));
  }
  return makeMoves(moving, { source }, pages());
}

/**
 * Gives the mirrors of a move that were not changed since the addresses that they had before it. The addresses are
 * checked again, since the denied hosts can have changed.
 */
export function undoMove(moving: Moving, move: AuditId): Events {
  async function* pages() {
    let last: HistoryId | undefined;
    do {
      const lines = await moving.mirrors.undoing(move, last, batchSize);
      yield judged(moving, lines);
      last = lines.length < batchSize ? undefined : lines.at(-1)?.change;
    } while (last);
  }
  return makeMoves(moving, { undoes: move }, pages());
}

async function judged(moving: Moving, lines: readonly MoveLine[]) {
  const campaigns = lines.flatMap((line) => ('kind' in line ? [] : [line.campaign]));
  const found = campaigns.length > 0 ? await moving.mirrors.findCampaigns(campaigns) : [];
  const seen = new Map(found.map((one) => [one.campaign.id, one]));
  const results = lines.map((one) => ('kind' in one ? one : settingOf(moving, one, seen.get(one.campaign))));
  return { results, examined: lines.length };
}

function settingOf(moving: Moving, asked: AddressLine, seen: FoundCampaign | undefined): MirrorMoved {
  const { line, campaign, address: after, expected, change } = asked;
  const before = seen?.address ?? null;
  const mirror = { ...(line !== undefined && { line }), campaign };
  // What a line gives is not checked yet, and not repeated: it may hold a password.
  const setting = { ...mirror, before, after: change === undefined ? undefined : after };
  // An export has an empty address for a campaign without a mirror.
  if (seen && after === (before ?? '')) return { ...setting, after, kind: 'unchanged' };
  if (change !== undefined && change !== seen?.lastChange)
    return { ...mirror, before: expected, after, kind: 'changed-since' };
  const because = seen ? moveRefusalOf(moving, seen) : 'campaign-not-found';
  if (before === null || because)
    return { ...setting, kind: 'refused', because: because ?? 'mirror-not-created' };
  const address = values.mirrorAddress(after, moving.denied);
  if (typeof address !== 'string') return { ...setting, kind: 'invalid', because: address.fault };
  if (expected !== '' && expected !== before) return { ...setting, after, kind: 'not-as-expected' };
  return { ...mirror, before, after: address, kind: 'would-move' };
}

function moveOf(moving: Moving, move: HostMove, seen: FoundCampaign<values.MirrorAddress>): MirrorMoved {
  const mirror = { campaign: seen.campaign.id, before: seen.address };
  const moved = movedAddress(move, seen.address, moving.denied);
  if (!moved) return { ...mirror, kind: 'not-on-host', after: undefined };
  const because = moveRefusalOf(moving, seen);
  if (because) return { ...mirror, kind: 'refused', after: moved.to, because };
  if ('fault' in moved) return { ...mirror, kind: 'invalid', after: moved.to, because: moved.fault };
  return { ...mirror, kind: 'would-move', after: moved.to };
}

function moveRefusalOf({ includeDefault }: Moving, { campaign }: FoundCampaign): Refusal | undefined {
  const because = refusalOf(campaign, campaign);
  return because === 'default-campaign' && includeDefault ? undefined : because;
}

/** Makes the moves of the mirrors on each page in batches, unless it is a dry run. */
async function* makeMoves(moving: Moving, details: MoveOptions['details'], pages: Pages): Events {
  let examined = 0;
  yield { kind: 'progress', examined };
  for await (const page of pages) {
    examined += page.examined;
    let moves: MirrorMove[] = [];
    for (const result of page.results) {
      if (result.kind === 'would-move' && !moving.dryRun) moves.push(result);
      else yield result;
    }
    while (moves.length > 0) {
      const batch = moves.slice(0, batchSize);
      const outcomes = await moving.mirrors.apply(batch, { ...moving, details });
      for (const [at, move] of batch.entries()) {
        const kind = outcomes[at];
        if (kind) yield { ...move, kind };
      }
      moves = moves.filter((_, at) => !outcomes[at]);
      yield { kind: 'progress', examined };
    }
    yield { kind: 'progress', examined };
  }
}
