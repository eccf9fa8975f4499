import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { HistoryId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** An address that a mirror gets back. */
export interface RestoredAddress {
  readonly address: MirrorAddress;
  /** The change in the history that tells of it. */
  readonly change: HistoryId;
}

/** Where the operator sets mirrors. Every call throws `Unavailable` when the store is away. */
export interface OperatorMirrors {
  /**
   * Sets the mirror, and records it in the history as the operator's and in the audit, all or nothing, provided
   * that the campaign still is as `seen` (its owner, its default flag, that it has a mirror) at the moment of the
   * write. Undefined, and nothing written, when it no longer is.
   */
  setMirror(seen: Campaign, restored: RestoredAddress): Promise<Mirror | undefined>;
}
