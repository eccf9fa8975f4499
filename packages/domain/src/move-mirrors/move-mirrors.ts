import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { CampaignId } from '../values/identifiers.ts';
import { type AddressFault, type HostDenylist, isOnHost, noDeniedHosts } from '../values/mirror-address.ts';
import type { FoundMirror, MirrorMove, MirrorMoveOutcome, MirrorMoves, MoveOptions } from './mirror-moves.ts';
import { type HostMove, movedAddress } from './moved-address.ts';

export interface MoveMirrorsRequest extends Omit<MoveOptions, 'details'> {
  readonly move: HostMove;
  /** Report what would be done, and write nothing. */
  readonly dryRun: boolean;
}

/** The result for one mirror. */
export type MirrorMoved =
  | (MirrorMove & { readonly kind: MirrorMoveOutcome | 'would-move' | 'changed-since' })
  | (NotMoved & { readonly kind: 'refused'; readonly because: OperatorRefusal })
  | (NotMoved & { readonly kind: 'invalid'; readonly because: AddressFault });

interface NotMoved {
  readonly campaign: CampaignId;
  readonly before: string;
  /** The address it would have had; undefined if it cannot be determined. */
  readonly after: string | undefined;
}

/** The number of mirrors examined so far. All that was written is committed, and was reported before. */
export interface MoveProgress {
  readonly kind: 'progress';
  readonly examined: number;
  /** The number of mirrors to examine; undefined if it is unknown. */
  readonly total: number | undefined;
  /** Whether any mirror examined so far is on the host to move to. Only a dry run looks for one. */
  readonly isTargetInUse: boolean;
}

/** The number of mirrors examined together. */
const pageSize = 20_000;
/** The number of mirrors moved together. */
export const batchSize = 500;

/**
 * Moves every mirror on one host to another, as an act of the operator: the third rule does not apply, nor does the
 * second if default campaigns are included. A moved mirror no longer matches, so repeating a stopped move resumes it.
 */
export class MoveMirrors {
  readonly #mirrors: MirrorMoves;
  readonly #deniedHosts: HostDenylist;

  constructor(mirrors: MirrorMoves, deniedHosts: HostDenylist = noDeniedHosts) {
    this.#mirrors = mirrors;
    this.#deniedHosts = deniedHosts;
  }

  /**
   * Keeps one page and one batch of mirrors in memory. To stop the move, stop iterating at a `progress`.
   * @throws Unavailable when the store is unavailable
   */
  async *execute(request: MoveMirrorsRequest): AsyncGenerator<MirrorMoved | MoveProgress> {
    const { owner, move, dryRun } = request;
    const { from, to, subdomains } = move;
    const options = { ...request, details: { from, to: to.written, subdomains } };
    const total = await this.#mirrors.count(owner);
    const pending: MirrorMove[] = [];
    let examined = 0;
    let isTargetInUse = false;
    let after: CampaignId | undefined;
    const progress = (): MoveProgress => {
      return { kind: 'progress', examined, total: Math.max(examined, total), isTargetInUse };
    };
    do {
      yield progress();
      const hosts = dryRun && !isTargetInUse ? [from, to.name] : [from];
      const page = await this.#mirrors.find({ limit: pageSize, hosts, after, owner });
      for (const mirror of page.mirrors) {
        const result = this.#examine(mirror, request);
        if (result?.kind === 'would-move' && !dryRun) pending.push(result);
        else if (result) yield result;
        else if (dryRun && !isTargetInUse) isTargetInUse = isOnHost(mirror.address, to.name, subdomains);
      }
      examined += page.examined;
      after = page.last;
      const least = after ? batchSize : 1;
      while (pending.length >= least) {
        for await (const results of makeMoves(this.#mirrors, pending.splice(0, batchSize), options)) {
          yield* results;
          yield progress();
        }
      }
    } while (after);
    yield progress();
  }

  /** Undefined if the mirror is on another host. */
  #examine(
    { campaign, address }: FoundMirror,
    { move, includeDefault }: MoveMirrorsRequest,
  ): MirrorMoved | undefined {
    const moved = movedAddress(move, address, this.#deniedHosts);
    if (!moved) return undefined;
    const mirror = { campaign: campaign.id, before: address };
    const because = operatorRefusalOf(campaign);
    if (because && !(because === 'default-campaign' && includeDefault)) {
      return { ...mirror, kind: 'refused', after: moved.to, because };
    }
    if ('fault' in moved) return { ...mirror, kind: 'invalid', after: moved.to, because: moved.fault };
    return { ...mirror, kind: 'would-move', after: moved.to };
  }
}

/** First moves all mirrors that are not locked, then the others one by one. */
export async function* makeMoves(
  mirrors: MirrorMoves,
  moves: readonly MirrorMove[],
  options: MoveOptions,
): AsyncGenerator<MirrorMoved[]> {
  const outcomes = await mirrors.setMany(moves, options);
  const results = moves.map((move, at) => ({ ...move, kind: outcomes[at] ?? 'locked' }));
  yield results.filter(({ kind }) => kind !== 'locked');
  for (const [at, move] of moves.entries()) {
    if (results[at]?.kind === 'locked') yield [{ ...move, kind: await mirrors.setOne(move, options) }];
  }
}
