import type { Caller } from './caller.ts';
import type { Campaign } from './campaign.ts';
import type { CampaignId } from './identifiers.ts';
import type { Mirror } from './mirror.ts';
import type { MirrorAddress } from './mirror-address.ts';

/** What is to be set, and by whom: what history records. */
export interface MirrorChange {
  readonly address: MirrorAddress;
  readonly by: Caller;
  /** Ties the history row to the log lines of the request: 1 to 128 visible ASCII characters. */
  readonly requestId: string;
}

/** Where campaigns and their mirrors are kept. Every call throws `Unavailable` when the store is away. */
export interface CampaignRepository {
  find(id: CampaignId): Promise<Campaign | undefined>;

  /**
   * Sets the mirror and records it in the history, both or neither, provided that the campaign still is as
   * `seen` (its owner, its default flag, that it has a mirror) at the moment of the write.
   * Undefined, and nothing written, when it no longer is.
   */
  setMirror(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined>;
}
