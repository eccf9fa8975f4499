import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { Mirror } from '../set-campaign-mirror/mirror.ts';
import type { HistoryId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** Sets mirrors for the operator. Every call throws `Unavailable` when the store is unavailable. */
export interface OperatorMirrors {
  /**
   * Sets the mirror and records it in the history, as the operator's, and in the audit; all are committed or none.
   * `change` is the change in the history that has the address, where it is restored from there.
   * Requires that at the moment of the write the campaign is still as `seen`: its owner, its default flag, that it has
   * a mirror. Otherwise returns undefined and writes nothing.
   */
  setMirror(
    seen: Campaign,
    address: MirrorAddress,
    change: HistoryId | undefined,
  ): Promise<Mirror | undefined>;
}
