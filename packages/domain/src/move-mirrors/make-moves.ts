import type { OperatorRefusal } from '../set-campaign-mirror/authorization-rules.ts';
import type { CampaignId } from '../values/identifiers.ts';
import type { AddressFault } from '../values/mirror-address.ts';
import type { MirrorMove, MirrorMoveOutcome, MirrorMoves, MoveTerms } from './mirror-moves.ts';

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
  const told = moves.map((move, at) => ({ ...move, kind: outcomes[at] ?? 'held' }));
  yield told.filter(({ kind }) => kind !== 'held');
  for (const move of told.filter(({ kind }) => kind === 'held')) {
    const kind = waits.left > 0 ? await mirrors.setOne(move, terms) : 'held';
    if (kind === 'held') waits.left -= 1;
    yield [{ ...move, kind }];
  }
}
