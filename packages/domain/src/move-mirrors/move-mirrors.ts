import { type CampaignNotFound, examinedTogether } from '../operator/campaign-settings.ts';
import type { Campaign } from '../set-campaign-mirror/campaign-repository.ts';
import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { AuditId, CampaignId, HistoryId } from '../values/identifiers.ts';
import * as values from '../values/mirror-address.ts';
import type * as port from './mirror-moves.ts';
import { type HostMove, movedAddress } from './moved-address.ts';

/** Which mirrors to move, and how. A dry run reports what would be done, and writes nothing. */
export interface MoveMirrorsRequest extends Omit<port.MoveOptions, 'details'> {
  readonly dryRun: boolean;
  readonly move: HostMove;
}

/** A line of a file that gives a campaign an address. */
export interface AddressLine {
  readonly line: number;
  readonly campaign: CampaignId;
  readonly address: string;
  /** The address that the mirror must have; empty: any. */
  readonly expected: string;
}

/** An examined mirror on the host: moved, or why it was not. */
export type MirrorMoved =
  | (port.MirrorMove & { readonly kind: port.MirrorMoveOutcome | 'would-move' | 'changed-since' })
  /** `unchanged`: it has the address already. `not-as-expected`: it has another one than the line expects. */
  | (NotMoved & { readonly kind: 'unchanged' | 'not-as-expected' })
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
  /** Whether any is on the host to move to. Only a dry run looks for one. */
  readonly isTargetInUse: boolean;
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
  const { owner, move, dryRun } = request;
  const { from, to, subdomains } = move;
  const options = { ...request, details: { from, to: to.written, subdomains } };
  const total = await mirrors.count(owner);
  let examined = 0;
  const seen = { isTargetInUse: false, below: 0, elsewhere: 0 };
  let after: CampaignId | undefined;
  const progress = () => ({ ...progressOf(mirrors, examined, Math.max(examined, total)), ...seen });
  do {
    yield progress();
    const hosts = dryRun && !seen.isTargetInUse ? [from, to.name] : [from];
    const page = await mirrors.find({ limit: examinedTogether, hosts, after, owner });
    const results: MirrorMoved[] = [];
    for (const mirror of page.mirrors) {
      const result = moveOf(mirror, request, denied);
      if (result) results.push(result);
      else if (values.isOnHost(mirror.address, to.name, subdomains)) seen.isTargetInUse = true;
      else if (values.isOnHost(mirror.address, from, true)) seen.below += 1;
      if (values.namesHostElsewhere(mirror.address, from)) seen.elsewhere += 1;
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
export async function* moveToAddresses(
  mirrors: port.MirrorMoves,
  lines: readonly (AddressLine | MirrorMoved)[],
  options: Pick<port.MoveOptions, 'details'> & { readonly dryRun: boolean },
  denied: values.HostList,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  let examined = 0;
  const progress = () => progressOf(mirrors, examined, lines.length);
  for (let at = 0; at < lines.length; at += batchSize) {
    yield progress();
    const page = lines.slice(at, at + batchSize);
    const asked = page.flatMap((line) => ('kind' in line ? [] : [line.campaign]));
    const found = asked.length > 0 ? await mirrors.findCampaigns(asked) : [];
    const seen = new Map(found.map((one) => [one.campaign.id, one]));
    const results = page.map((line) =>
      'kind' in line ? line : settingOf(line, seen.get(line.campaign), denied),
    );
    examined += page.length;
    yield* makeMoves(mirrors, results, { ...options, includeDefault: false }, progress);
  }
  yield progress();
}

function settingOf(
  { line, campaign, address: after, expected }: AddressLine,
  seen: port.FoundCampaign | undefined,
  denied: values.HostList,
): MirrorMoved {
  const before = seen?.address ?? null;
  // What is not checked yet is not repeated: it may hold a password.
  const setting = { line, campaign, before, after: undefined };
  if (!seen) return { ...setting, kind: 'refused', because: 'campaign-not-found' };
  // An export has an empty address for a campaign without a mirror.
  if (after === (before ?? '')) return { ...setting, after, kind: 'unchanged' };
  const because = operatorRefusalOf(seen.campaign);
  if (before === null || because)
    return { ...setting, kind: 'refused', because: because ?? 'mirror-not-created' };
  const address = values.mirrorAddress(after, denied);
  if (typeof address !== 'string') return { ...setting, kind: 'invalid', because: address.fault };
  if (expected !== '' && expected !== before) return { ...setting, after, kind: 'not-as-expected' };
  return { line, campaign, before, after: address, kind: 'would-move' };
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

/**
 * Gives the mirrors of a move that were not changed since the addresses that they had before it, which are checked again,
 * since the denied hosts can have changed. To stop, stop iterating at a `progress`.
 */
export async function* undoMove(
  mirrors: port.MirrorMoves,
  request: Pick<MoveMirrorsRequest, 'includeDefault' | 'dryRun'> & { readonly move: AuditId },
  denied: values.HostList,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  const { move, includeDefault, dryRun } = request;
  const options = { includeDefault, details: { undoes: move }, dryRun };
  let examined = 0;
  let after: HistoryId | undefined;
  const progress = () => progressOf(mirrors, examined);
  do {
    yield progress();
    const changes = await mirrors.changes(move, after, batchSize);
    const results = changes.map((change) => undoingOf(change, includeDefault, denied));
    examined += changes.length;
    after = changes.length < batchSize ? undefined : changes.at(-1)?.change;
    yield* makeMoves(mirrors, results, options, progress);
  } while (after);
  yield progress();
}

function progressOf({ moveId: move }: port.MirrorMoves, examined: number, total?: number): MoveProgress {
  return { kind: 'progress', examined, total, move, isTargetInUse: true, below: 0, elsewhere: 0 };
}

function undoingOf(
  { campaign, before, after, now, isLatest, address: current }: port.MoveChange,
  includeDefault: boolean,
  denied: values.HostList,
): MirrorMoved {
  const back = { campaign, before: after, after: before };
  if (current === before) return { ...back, kind: 'unchanged' };
  if (!now || !isLatest) return { ...back, kind: 'changed-since' };
  const because = moveRefusalOf(now, includeDefault);
  if (because) return { ...back, kind: 'refused', because };
  const address = values.mirrorAddress(before, denied);
  if (typeof address !== 'string') return { ...back, kind: 'invalid', because: address.fault };
  return { ...back, kind: 'would-move' };
}

function moveRefusalOf(campaign: Campaign, includeDefault: boolean): OperatorRefusal | undefined {
  const because = operatorRefusalOf(campaign);
  return because === 'default-campaign' && includeDefault ? undefined : because;
}

/** Makes the moves of examined mirrors in batches, unless it is a dry run: first of those that are not locked. */
async function* makeMoves(
  mirrors: port.MirrorMoves,
  examined: readonly MirrorMoved[],
  options: port.MoveOptions & { readonly dryRun: boolean },
  progress: () => MoveProgress,
): AsyncGenerator<MirrorMoved | MoveProgress> {
  const moves: port.MirrorMove[] = [];
  for (const result of examined) {
    if (result.kind === 'would-move' && !options.dryRun) moves.push(result);
    else yield result;
  }
  while (moves.length > 0) {
    const batch = moves.splice(0, batchSize);
    const outcomes = await mirrors.setMany(batch, options);
    const locked: port.MirrorMove[] = [];
    for (const [at, move] of batch.entries()) {
      const kind = outcomes[at] ?? 'locked';
      if (kind === 'locked') locked.push(move);
      else yield { ...move, kind };
    }
    yield progress();
    for (const move of locked) {
      yield { ...move, kind: await mirrors.setOne(move, options) };
      yield progress();
    }
  }
}
