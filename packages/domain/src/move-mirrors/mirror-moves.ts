import type { MirrorStretch, Stretch } from '../operator/campaign-settings.ts';
import type { Campaign } from '../set-campaign-mirror/campaign-repository.ts';
import type { AuditId, CampaignId, HistoryId, OwnerId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** A mirror as it was read. */
export interface FoundMirror {
  readonly campaign: Campaign;
  readonly address: MirrorAddress;
}

/** The move of one mirror. */
export interface MirrorMove {
  readonly campaign: CampaignId;
  readonly before: MirrorAddress;
  readonly after: MirrorAddress;
}

/** A change that a move has made. */
export interface MoveChange extends MirrorMove {
  readonly change: HistoryId;
  /** As it is now; undefined where there is no such campaign any longer. */
  readonly now: Campaign | undefined;
  /** Whether the mirror is still as the move left it. */
  readonly isLatest: boolean;
}

/** What the audit says of the moves, and the conditions under which they are valid. */
export interface MoveTerms {
  readonly noted: Readonly<Record<string, string | number | boolean>>;
  /** Move only if the campaign has this owner; without it, any owner. */
  readonly owner?: OwnerId;
  /** Move the mirrors of default campaigns too. */
  readonly includeDefault: boolean;
}

/** The result of the move of one mirror. */
export type MirrorMoveOutcome =
  | 'moved'
  /** The campaign or its mirror has changed since it was read; nothing was written. */
  | 'changed-meanwhile'
  /** Another transaction holds the mirror; nothing was written. */
  | 'locked';

/**
 * Moves mirrors to another host for an operator: an instance makes one move. Each moved mirror is recorded in the history, with the campaign's
 * owner at that moment, and the number of mirrors moved together in the audit; a call commits all of this or nothing.
 * Every call throws `Unavailable` when the store is unavailable; whether the moves of that call were made is then
 * unknown.
 */
export interface MirrorMoves {
  /** The number of mirrors, of this owner or of all. */
  count(owner?: OwnerId): Promise<number>;

  /** Reads the next mirrors. */
  find(stretch: MirrorStretch): Promise<Stretch<FoundMirror>>;

  /**
   * Makes each move if, at the moment of the write, the terms hold and the address is still the one that was read.
   * Does not wait for locks: a row that another transaction has locked gives `locked`. The outcomes are in the order of
   * the moves.
   */
  setMany(moves: readonly MirrorMove[], terms: MoveTerms): Promise<readonly MirrorMoveOutcome[]>;

  /** The number under which the audit has what was moved so far; undefined while that is nothing. */
  readonly moveId: AuditId | undefined;

  /** The changes that a move has made, in their order; undefined if there is no such move. */
  changes(move: AuditId, after: HistoryId | undefined, limit: number): Promise<MoveChange[] | undefined>;

  /** The last move that undid this one; undefined if none did. */
  undoneBy(move: AuditId): Promise<AuditId | undefined>;

  /** Makes one move. Waits about two seconds for a lock, then returns `locked`. */
  setOne(move: MirrorMove, terms: MoveTerms): Promise<MirrorMoveOutcome>;
}
