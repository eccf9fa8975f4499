import { operatorRefusalOf } from '../set-campaign-mirror/set-campaign-mirror.ts';
import type { AuditId, HistoryId } from '../values/identifiers.ts';
import { type HostDenylist, mirrorAddress, noDeniedHosts } from '../values/mirror-address.ts';
import type { MirrorMove, MirrorMoves, MoveChange, MoveOptions } from './mirror-moves.ts';
import { batchSize, type MirrorMoved, type MoveProgress, makeMoves } from './move-mirrors.ts';

export interface UndoMoveRequest extends Pick<MoveOptions, 'includeDefault'> {
  /** The identifier of the move in the audit. */
  readonly move: AuditId;
  /** Report what would be done, and write nothing. */
  readonly dryRun: boolean;
}

/**
 * Gives the mirrors of a move the addresses that they had before it, as an act of the operator. Mirrors that were changed
 * since then keep their addresses. The addresses are checked again, since the denied hosts can have changed.
 */
export class UndoMove {
  readonly #mirrors: MirrorMoves;
  readonly #deniedHosts: HostDenylist;

  constructor(mirrors: MirrorMoves, deniedHosts: HostDenylist = noDeniedHosts) {
    this.#mirrors = mirrors;
    this.#deniedHosts = deniedHosts;
  }

  /**
   * Keeps one batch of changes in memory. To stop, stop iterating at a `progress`.
   * @throws Unavailable when the store is unavailable
   */
  async *execute(
    request: UndoMoveRequest,
  ): AsyncGenerator<MirrorMoved | MoveProgress | { readonly kind: 'move-not-found' }> {
    const options = { includeDefault: request.includeDefault, details: { undoes: request.move } };
    let examined = 0;
    let after: HistoryId | undefined;
    const progress = (): MoveProgress => {
      return { kind: 'progress', examined, total: undefined, isTargetInUse: true };
    };
    do {
      const changes = await this.#mirrors.changes(request.move, after, batchSize);
      if (!changes) return yield { kind: 'move-not-found' };
      const moves: MirrorMove[] = [];
      for (const change of changes) {
        const result = this.#examine(change, request);
        if (result.kind === 'would-move' && !request.dryRun) moves.push(result);
        else yield result;
      }
      examined += changes.length;
      if (moves.length > 0) {
        for await (const results of makeMoves(this.#mirrors, moves, options)) {
          yield* results;
          yield progress();
        }
      }
      after = changes.length < batchSize ? undefined : changes.at(-1)?.change;
      yield progress();
    } while (after);
  }

  #examine(change: MoveChange, { includeDefault }: UndoMoveRequest): MirrorMoved {
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
