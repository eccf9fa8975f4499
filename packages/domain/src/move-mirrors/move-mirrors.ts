import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { CampaignId } from '../values/identifiers.ts';
import { type AddressFault, type HostDenylist, isOnHost, noDeniedHosts } from '../values/mirror-address.ts';
import type { FoundMirror, MirrorMove, MirrorMoveOutcome, MirrorMoves, MoveTerms } from './mirror-moves.ts';
import { type HostMove, movedAddress } from './moved-address.ts';

/** The result for one mirror. */
export type MirrorMoved =
  | (MirrorMove & { readonly kind: MirrorMoveOutcome | 'would-move' | 'changed-since' })
  | (NotToMove & { readonly kind: 'refused'; readonly because: OperatorRefusal })
  | (NotToMove & { readonly kind: 'invalid'; readonly because: AddressFault });

interface NotToMove {
  readonly campaign: CampaignId;
  readonly before: string;
  /** The address it would have had; undefined if it cannot be determined. */
  readonly after: string | undefined;
}

/** How many mirrors have been examined, of how many. What was written is committed and has already been reported. */
export interface MoveProgress {
  readonly kind: 'progress';
  readonly looked: number;
  /** Undefined if that is not known. */
  readonly total: number | undefined;
  /** Whether any mirror examined so far is on the host to move to. */
  readonly isTargetInUse: boolean;
}

/** The number of mirrors examined together, and the number written together. */
export const stretch = 20_000;
export const batch = 500;

/** The lock waits that may still time out during one move. */
export type Waits = { left: number };
export const maxVainWaits = 15;

/**
 * First moves all mirrors that are not locked, then the others one by one, until too many lock waits have timed out.
 */
export async function* makeMoves(
  mirrors: MirrorMoves,
  moves: readonly MirrorMove[],
  terms: MoveTerms,
  waits: Waits,
): AsyncGenerator<MirrorMoved[]> {
  const outcomes = await mirrors.setMany(moves, terms);
  const made = moves.map((move, at) => ({ ...move, kind: outcomes[at] ?? 'locked' }));
  yield made.filter(({ kind }) => kind !== 'locked');
  for (const move of made.filter(({ kind }) => kind === 'locked')) {
    const kind = waits.left > 0 ? await mirrors.setOne(move, terms) : 'locked';
    if (kind === 'locked') waits.left -= 1;
    yield [{ ...move, kind }];
  }
}

export interface MoveMirrorsRequest extends Omit<MoveTerms, 'noted'> {
  readonly move: HostMove;
  /** Report what would be done, and write nothing. */
  readonly dryRun: boolean;
}

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
   * Holds one page and one batch of mirrors in memory. To stop the move, stop iterating at a `progress`.
   * @throws Unavailable when the store is unavailable
   */
  async *execute(request: MoveMirrorsRequest): AsyncGenerator<MirrorMoved | MoveProgress> {
    const { owner, move, dryRun } = request;
    const { from, to, subdomains } = move;
    const terms = { ...request, noted: { from, to: to.written, subdomains } };
    const total = await this.#mirrors.count(owner);
    const waits = { left: maxVainWaits };
    const pending: MirrorMove[] = [];
    let looked = 0;
    let isTargetInUse = false;
    let after: CampaignId | undefined;
    const progress = (): MoveProgress => {
      return { kind: 'progress', looked, total: Math.max(looked, total), isTargetInUse };
    };
    do {
      yield progress();
      const {
        found,
        looked: more,
        last,
      } = await this.#mirrors.find({
        limit: stretch,
        near: dryRun && !isTargetInUse ? [from, to.name] : [from],
        after,
        owner,
      });
      for (const mirror of found) {
        const judged = this.#judge(mirror, request);
        if (judged?.kind === 'would-move' && !dryRun) pending.push(judged);
        else if (judged) yield judged;
        else if (dryRun && !isTargetInUse) isTargetInUse = isOnHost(mirror.address, to.name, subdomains);
      }
      looked += more;
      after = last;
      while (pending.length >= (after ? batch : 1)) {
        for await (const made of makeMoves(this.#mirrors, pending.splice(0, batch), terms, waits)) {
          yield* made;
          yield progress();
        }
      }
    } while (after);
    yield progress();
  }

  #judge(
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
