import { type CampaignNotFound, examinedTogether } from '../operator/campaign-settings.ts';
import type { Campaign } from '../set-campaign-mirror/campaign-repository.ts';
import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { AuditId, CampaignId, HistoryId } from '../values/identifiers.ts';
import * as values from '../values/mirror-address.ts';
import type * as port from './mirror-moves.ts';
import { type HostMove, isOnHost, movedAddress, namesHostElsewhere } from './moved-address.ts';

/** Which mirrors to move, and how. A dry run reports what would be done, and writes nothing. */
export interface MoveMirrorsRequest extends Omit<port.MoveOptions, 'details'> {
  readonly dryRun: boolean;
  readonly move: HostMove;
}

/** What gives a campaign an address: a line of a file, or the undoing of a change. */
export interface AddressLine extends Pick<port.MirrorMove, 'line' | 'campaign'> {
  readonly address: string;
  /** The address that the mirror must have; empty: any. */
  readonly expected: string;
  /** The change to undo, which must be the mirror's last one. */
  readonly change?: HistoryId;
}

/** An examined mirror on the host: moved, or why it was not. */
export type MirrorMoved =
  | (port.MirrorMove & { readonly kind: port.MirrorMoveOutcome | 'would-move' })
  /** `unchanged`: it has the address already. `not-as-expected`: it has another one than the line expects. */
  | (NotMoved & { readonly kind: 'unchanged' | 'not-as-expected' | 'changed-since' })
  | (NotMoved & { readonly kind: 'refused'; readonly because: OperatorRefusal | CampaignNotFound['kind'] })
  | (NotMoved & { readonly kind: 'invalid'; readonly because: values.AddressFault })
  /** A line that cannot be read; the text is the driving adapter's. */
  | { readonly kind: 'unread'; readonly line: number; readonly because: string };

interface NotMoved extends Pick<port.MirrorMove, 'line' | 'campaign'> {
  /** Null if there is no mirror. */
  readonly before: string | null;
  /** The address it would have had; undefined if it cannot be determined. */
  readonly after: string | undefined;
}

/** What was found so far, in numbers of mirrors. All that was written is committed, and was reported before. */
export interface MoveProgress {
  readonly kind: 'progress';
  readonly examined: number;
  /** Those to examine; undefined if it is unknown. */
  readonly total: number | undefined;
  readonly move: port.MirrorMoves['moveId'];
  /** Those on a name below the host, which do not move. */
  readonly below: number;
  /** Those that have the host in another part of the address, which a move does not change. */
  readonly elsewhere: number;
}

/** The number of mirrors moved together. */
const batchSize = 500;

/**
 * Moves every mirror on one host to another, as an act of the operator: the third rule does not apply, nor does the
 * second if default campaigns are included. A moved mirror no longer matches, so repeating a stopped move resumes it.
 * To stop it, stop iterating at a `progress`.
 */
export async function* moveMirrors(
  mirrors: port.MirrorMoves,
  request: MoveMirrorsRequest,
  denied: values.HostList,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  const { owner, move } = request;
  const { from, to, subdomains } = move;
  const options = { ...request, details: { from, to: to.written, subdomains } };
  const total = await mirrors.count(owner);
  let examined = 0;
  const left = { below: 0, elsewhere: 0 };
  let after: CampaignId | undefined;
  const isBelow = (address: string) =>
    isOnHost(address, from, true) && !isOnHost(address, to.name, subdomains);
  const progress = () => ({ ...progressOf(mirrors, examined, Math.max(examined, total)), ...left });
  do {
    yield progress();
    const page = await mirrors.find({ limit: examinedTogether, host: from, after, owner });
    const results: MirrorMoved[] = [];
    for (const mirror of page.mirrors) {
      const result = moveOf(mirror, request, denied);
      if (result) results.push(result);
      else if (isBelow(mirror.address)) left.below += 1;
      if (namesHostElsewhere(mirror.address, from)) left.elsewhere += 1;
    }
    examined += page.examined;
    after = page.last;
    yield* makeMoves(mirrors, results, options, progress);
  } while (after);
  yield progress();
}

/**
 * Gives campaigns the addresses of the lines, at most one line for each, as an act of the operator. A mirror that has its
 * address already is not written, so repeating a stopped call resumes it. A line that a dry run has judged is not judged
 * again: the mirror is set if it is as the dry run saw it. To stop, stop iterating at a `progress`.
 */
export function moveToAddresses(
  mirrors: port.MirrorMoves,
  lines: readonly (AddressLine | MirrorMoved)[],
  options: Pick<port.MoveOptions, 'details'> & { readonly dryRun: boolean },
  denied: values.HostList,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  async function* pages() {
    for (let at = 0; at < lines.length; at += batchSize) yield lines.slice(at, at + batchSize);
  }
  return setPages(mirrors, pages(), { ...options, includeDefault: false }, denied, lines.length);
}

/**
 * Gives the mirrors of a move that were not changed since the addresses that they had before it, which are checked again,
 * since the denied hosts can have changed. To stop, stop iterating at a `progress`.
 */
export function undoMove(
  mirrors: port.MirrorMoves,
  { move, ...options }: Pick<MoveMirrorsRequest, 'includeDefault' | 'dryRun'> & { readonly move: AuditId },
  denied: values.HostList,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  async function* pages() {
    let last: HistoryId | undefined;
    do {
      const changes = await mirrors.changes(move, last, batchSize);
      yield changes.map(({ campaign, before: address, after: expected, change }) => {
        return { campaign, address, expected, change };
      });
      last = changes.length < batchSize ? undefined : changes.at(-1)?.change;
    } while (last);
  }
  return setPages(mirrors, pages(), { ...options, details: { undoes: move } }, denied);
}

async function* setPages(
  mirrors: port.MirrorMoves,
  pages: AsyncIterable<readonly (AddressLine | MirrorMoved)[]>,
  options: port.MoveOptions & { readonly dryRun: boolean },
  denied: values.HostList,
  total?: number,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  let examined = 0;
  const progress = () => progressOf(mirrors, examined, total);
  yield progress();
  for await (const page of pages) {
    const asked = page.flatMap((line) => ('kind' in line ? [] : [line.campaign]));
    const found = asked.length > 0 ? await mirrors.findCampaigns(asked) : [];
    const seen = new Map(found.map((one) => [one.campaign.id, one]));
    const results = page.map((line) =>
      'kind' in line ? line : settingOf(line, seen.get(line.campaign), options, denied),
    );
    examined += page.length;
    yield* makeMoves(mirrors, results, options, progress);
    yield progress();
  }
}

function settingOf(
  { line, campaign, address: after, expected, change }: AddressLine,
  seen: port.FoundCampaign | undefined,
  { includeDefault }: port.MoveOptions,
  denied: values.HostList,
): MirrorMoved {
  const before = seen?.address ?? null;
  const mirror = { ...(line !== undefined && { line }), campaign };
  // What a line gives is not checked yet, and not repeated: it may hold a password.
  const setting = { ...mirror, before, after: change === undefined ? undefined : after };
  // An export has an empty address for a campaign without a mirror.
  if (seen && after === (before ?? '')) return { ...setting, after, kind: 'unchanged' };
  if (change !== undefined && change !== seen?.lastChange)
    return { ...mirror, before: expected, after, kind: 'changed-since' };
  if (!seen) return { ...setting, kind: 'refused', because: 'campaign-not-found' };
  const because = moveRefusalOf(seen.campaign, includeDefault);
  if (before === null || because)
    return { ...setting, kind: 'refused', because: because ?? 'mirror-not-created' };
  const address = values.mirrorAddress(after, denied);
  if (typeof address !== 'string') return { ...setting, kind: 'invalid', because: address.fault };
  if (expected !== '' && expected !== before) return { ...setting, after, kind: 'not-as-expected' };
  return { ...mirror, before, after: address, kind: 'would-move' };
}

/** Undefined if the mirror is on another host. */
function moveOf(
  { campaign, address }: port.FoundCampaign<values.MirrorAddress>,
  { move, includeDefault }: MoveMirrorsRequest,
  denied: values.HostList,
): MirrorMoved | undefined {
  const moved = movedAddress(move, address, denied);
  if (!moved) return undefined;
  const mirror = { campaign: campaign.id, before: address };
  const because = moveRefusalOf(campaign, includeDefault);
  if (because) return { ...mirror, kind: 'refused', after: moved.to, because };
  if ('fault' in moved) return { ...mirror, kind: 'invalid', after: moved.to, because: moved.fault };
  return { ...mirror, kind: 'would-move', after: moved.to };
}

function progressOf({ moveId: move }: port.MirrorMoves, examined: number, total?: number): MoveProgress {
  return { kind: 'progress', examined, total, move, below: 0, elsewhere: 0 };
}

function moveRefusalOf(campaign: Campaign, includeDefault: boolean): OperatorRefusal | undefined {
  const because = operatorRefusalOf(campaign);
  return because === 'default-campaign' && includeDefault ? undefined : because;
}

/** Makes the moves of examined mirrors in batches, unless it is a dry run. */
async function* makeMoves(
  mirrors: port.MirrorMoves,
  examined: readonly MirrorMoved[],
  options: port.MoveOptions & { readonly dryRun: boolean },
  progress: () => MoveProgress,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  let moves: port.MirrorMove[] = [];
  for (const result of examined) {
    if (result.kind === 'would-move' && !options.dryRun) moves.push(result);
    else yield result;
  }
  while (moves.length > 0) {
    const batch = moves.slice(0, batchSize);
    const outcomes = await mirrors.apply(batch, options);
    for (const [at, move] of batch.entries()) {
      const kind = outcomes[at];
      if (kind) yield { ...move, kind };
    }
    moves = moves.filter((_, at) => at >= batchSize || !outcomes[at]);
    yield progress();
  }
}
