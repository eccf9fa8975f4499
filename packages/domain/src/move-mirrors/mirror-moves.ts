import type { ExaminedMirrors, MirrorPage } from '../operator/campaign-settings.ts';
import type { Campaign } from '../set-campaign-mirror/campaign-repository.ts';
import type { AuditId, CampaignId, HistoryId, OwnerId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** A campaign as it is, with the address of its mirror; null if it has none. */
export interface FoundCampaign<Address = MirrorAddress | null> {
  readonly campaign: Campaign;
  readonly address: Address;
  /** The last change of the mirror, if it was found by its campaign. */
  readonly lastChange?: HistoryId | null;
}

/** A mirror, its address, and the one that it is to have. */
export interface MirrorMove {
  /** The line of the file that asks for it, if one does. */
  readonly line?: number;
  readonly campaign: CampaignId;
  readonly before: MirrorAddress;
  readonly after: MirrorAddress;
}

/** A change that a move has made. */
export interface MoveChange extends MirrorMove {
  readonly change: HistoryId;
}

/** The conditions of a move, which hold at the moment of the write. */
export interface MoveOptions {
  /** The details of the entry in the audit. */
  readonly details: Readonly<Record<string, string | number | boolean>>;
  /** Move only mirrors of this owner's campaigns. */
  readonly owner?: OwnerId;
  /** Move the mirrors of default campaigns too. */
  readonly includeDefault: boolean;
}

/** What became of a mirror that was to be moved; unless it is `moved`, nothing was written. */
export type MirrorMoveOutcome = 'moved' | 'changed-meanwhile' | 'locked';

/**
 * Gives many mirrors other addresses for an operator. An instance makes one move. A call commits its changes with their
 * rows in the history and their entry in the audit, or nothing.
 */
export interface MirrorMoves {
  /** Of this owner's mirrors or of all. */
  count(owner?: OwnerId): Promise<number>;

  find(page: MirrorPage): Promise<ExaminedMirrors<FoundCampaign<MirrorAddress>>>;

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

  /** The changes that a move has made, in their order, after `after`; none if there is no such move. */
  changes(move: AuditId, after: HistoryId | undefined, limit: number): Promise<MoveChange[]>;

  /** The last move that undid this one, or null if none did; undefined if there is no such move. */
  undoneBy(move: AuditId): Promise<AuditId | null | undefined>;
}
