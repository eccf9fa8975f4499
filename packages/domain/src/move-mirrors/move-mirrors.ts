import { type OperatorRefusal, operatorRefusalOf } from '../set-campaign-mirror/authorization-rules.ts';
import { type HostDenylist, noDeniedHosts } from '../values/host-denylist.ts';
import type { CampaignId } from '../values/identifiers.ts';
import type { AddressFault, MirrorAddress } from '../values/mirror-address.ts';
import type { FoundMirror, MirrorMove, MirrorMoveOutcome, MirrorMoves, MoveTerms } from './mirror-moves.ts';
import { movedAddress } from './moved-address.ts';

export interface MoveMirrorsRequest extends MoveTerms {
  /** Report what would be done, and write nothing. */
  readonly dryRun: boolean;
}

/** The result for a mirror on the host that moves. */
export type MirrorMoved =
  | (MirrorMove & { readonly kind: MirrorMoveOutcome | 'would-move' })
  | (NotToMove & { readonly kind: 'refused'; readonly because: OperatorRefusal })
  | (NotToMove & { readonly kind: 'invalid'; readonly because: AddressFault });

interface NotToMove {
  readonly campaign: CampaignId;
  readonly before: MirrorAddress;
  /** The address it would have had; undefined if it cannot be determined. */
  readonly after: string | undefined;
}

/** How many mirrors have been examined, of how many. What was written is committed and has already been reported. */
export interface MoveProgress {
  readonly kind: 'progress';
  readonly looked: number;
  readonly total: number;
}

/** The number of mirrors read together, and the number written together. */
const stretch = 2_000;
const batch = 500;

/** The number of lock waits that may time out during one move. */
const maxVainWaits = 15;

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
    const { owner } = request;
    const total = await this.#mirrors.count();
    const waits = { left: maxVainWaits };
    const pending: MirrorMove[] = [];
    let looked = 0;
    let after: CampaignId | undefined;
    const progress = (): MoveProgress => ({ kind: 'progress', looked, total: Math.max(looked, total) });
    do {
      yield progress();
      const found = await this.#mirrors.find({
        limit: stretch,
        ...(after && { after }),
        ...(owner && { owner }),
      });
      for (const mirror of found.mirrors) {
        const judged = this.#judge(mirror, request);
        if (judged?.kind === 'would-move' && !request.dryRun) pending.push(judged);
        else if (judged) yield judged;
      }
      looked += found.looked;
      after = found.last;
      while (pending.length >= (after ? batch : 1)) {
        for await (const made of this.#make(pending.splice(0, batch), request, waits)) {
          yield* made;
          yield progress();
        }
      }
    } while (after);
    yield progress();
  }

  #judge({ campaign, address }: FoundMirror, { move, includeDefault }: MoveTerms): MirrorMoved | undefined {
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

  /**
   * First moves all mirrors that are not locked, then the others one by one, until too many lock waits have timed out.
   */
  async *#make(
    moves: readonly MirrorMove[],
    terms: MoveTerms,
    waits: { left: number },
  ): AsyncGenerator<MirrorMoved[]> {
    const outcomes = await this.#mirrors.setMany(moves, terms);
    const told = moves.map((move, at) => ({ ...move, kind: outcomes[at] ?? 'held' }));
    yield told.filter(({ kind }) => kind !== 'held');
    for (const move of told.filter(({ kind }) => kind === 'held')) {
      const kind = waits.left > 0 ? await this.#mirrors.setOne(move, terms) : 'held';
      if (kind === 'held') waits.left -= 1;
      yield [{ ...move, kind }];
    }
  }
}
