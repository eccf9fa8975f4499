import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { CampaignId, OwnerId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { HostMove } from './host-move.ts';

/** A mirror as it was found. */
export interface FoundMirror {
  readonly campaign: Campaign;
  readonly address: MirrorAddress;
}

/** What is asked for: a stretch of all mirrors, in the order of their campaigns. */
export interface MirrorStretch {
  /** Those behind this one; from the first one without it. */
  readonly after?: CampaignId;
  /** Mirrors that are looked at, at most: from 1. */
  readonly limit: number;
  /** Of those only the ones of this owner. */
  readonly owner?: OwnerId;
}

export interface FoundMirrors {
  readonly mirrors: readonly FoundMirror[];
  /** How many were looked at, whosever they are. */
  readonly looked: number;
  /** The last one that was looked at; undefined where there was none left. */
  readonly last: CampaignId | undefined;
}

/** The move of one mirror. */
export interface MirrorMove {
  readonly campaign: CampaignId;
  readonly before: MirrorAddress;
  readonly after: MirrorAddress;
}

/** What the moves are part of, and what they were judged on. */
export interface MoveTerms {
  readonly move: HostMove;
  /** Only while the campaign is this owner's; anybody's without it. */
  readonly owner?: OwnerId;
  /** Also while the campaign is a default one. */
  readonly includeDefault: boolean;
}

export type MirrorMoveOutcome =
  | 'moved'
  /** The campaign or its mirror is no longer as it was judged; nothing was written. */
  | 'changed-meanwhile'
  /** Another transaction holds the campaign or its mirror; nothing was written. */
  | 'held';

/**
 * Where an operator moves mirrors to another host. Each that moved is in the history, with the owner that its
 * campaign had at that moment; how many were moved together is in the audit; all of it or nothing.
 * Every call throws `Unavailable` when the store is away: whether the moves of that call were made is unknown then.
 */
export interface MirrorMoves {
  /** Of all owners. */
  count(): Promise<number>;

  find(stretch: MirrorStretch): Promise<FoundMirrors>;

  /**
   * Makes each of the moves, provided that at the moment of the write the terms hold and the address still is the one
   * before. Waits for nobody: what another transaction holds is `held`. The outcomes are in the order of the moves.
   */
  setMany(moves: readonly MirrorMove[], terms: MoveTerms): Promise<readonly MirrorMoveOutcome[]>;

  /** The same for one, which waits for a transaction that holds it: for two seconds or so, then it is `held`. */
  setOne(move: MirrorMove, terms: MoveTerms): Promise<MirrorMoveOutcome>;
}
