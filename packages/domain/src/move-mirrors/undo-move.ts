import { operatorRefusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { AuditId, HistoryId } from '../values/identifiers.ts';
import { type HostDenylist, mirrorAddress, noDeniedHosts } from '../values/mirror-address.ts';
import type { MirrorMove, MirrorMoves, MoveChange, MoveTerms } from './mirror-moves.ts';
import { batch, type MirrorMoved, type MoveProgress, makeMoves, maxVainWaits } from './move-mirrors.ts';

export interface UndoMoveRequest extends Pick<MoveTerms, 'includeDefault'> {
  /** The number of the move in the audit. */
  readonly move: AuditId;
  /** Report what would be done, and write nothing. */
  readonly dryRun: boolean;
}

/**
 * Gives the mirrors of a move the addresses that they had before it, as an act of the operator; those that were changed
 * since keep theirs. The addresses are checked again, since the denied hosts can have changed.
 */
export class UndoMove {
  readonly #mirrors: MirrorMoves;
  readonly #deniedHosts: HostDenylist;

  constructor(mirrors: MirrorMoves, deniedHosts: HostDenylist = noDeniedHosts) {
    this.#mirrors = mirrors;
    this.#deniedHosts = deniedHosts;
  }

  /**
   * Holds one batch of changes in memory. To stop, stop iterating at a `progress`.
   * @throws Unavailable when the store is unavailable
   */
  async *execute(
    request: UndoMoveRequest,
  ): AsyncGenerator<MirrorMoved | MoveProgress | { readonly kind: 'move-not-found' }> {
    const terms = { includeDefault: request.includeDefault, noted: { undoes: request.move } };
    const waits = { left: maxVainWaits };
    let looked = 0;
    let after: HistoryId | undefined;
    const progress = () => ({ kind: 'progress' as const, looked, total: undefined, isTargetInUse: true });
    do {
      const changes = await this.#mirrors.changes(request.move, after, batch);
      if (!changes) return yield { kind: 'move-not-found' };
      const judged = changes.map((change) => this.#judge(change, request));
      const isToMove = (one: MirrorMoved) => one.kind === 'would-move' && !request.dryRun;
      yield* judged.filter((one) => !isToMove(one));
      looked += changes.length;
      const moves = judged.filter(isToMove) as MirrorMove[];
      if (moves.length > 0)
        for await (const made of makeMoves(this.#mirrors, moves, terms, waits)) {
          yield* made;
          yield progress();
        }
      after = changes.length < batch ? undefined : changes.at(-1)?.change;
      yield progress();
    } while (after);
  }

  #judge(change: MoveChange, { includeDefault }: UndoMoveRequest): MirrorMoved {
    const { campaign, before, after, now, isLatest } = change;
    const back = { campaign, before: after, after: before };
    if (!now || !isLatest) return { ...back, kind: 'changed-since' };
    const because = operatorRefusalOf(now);
    if (because && !(because === 'default-campaign' && includeDefault))
      return { ...back, kind: 'refused', because };
    const address = mirrorAddress(before, this.#deniedHosts);
    if (typeof address !== 'string') return { ...back, kind: 'invalid', because: address.fault };
    return { ...back, kind: 'would-move' };
  }
}
