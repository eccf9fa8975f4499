import type { CampaignId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Caller } from './caller.ts';
import type { Campaign } from './campaign.ts';
import type { Mirror } from './mirror.ts';

/** What is to be set, and by whom: what history records. */
export interface MirrorChange {
  readonly address: MirrorAddress;
  readonly by: Caller;
  /** Ties the history row to the log lines of the request: 1 to 128 visible ASCII characters. */
  readonly requestId: string;
}

/** What came of an attempt to set a mirror. Nothing was written unless it is set. */
export type SetMirrorResult =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror }
  /** The caller's key is no longer valid, or another owner's; nothing is said of the campaign. */
  | { readonly kind: 'caller-invalid' }
  /** The campaign is not as it was seen. `campaign`: as it is, undefined where there is none. */
  | { readonly kind: 'campaign-differs'; readonly campaign: Campaign | undefined };

/** Where campaigns and their mirrors are kept. Every call throws `Unavailable` when the store is unavailable. */
export interface CampaignRepository {
  find(id: CampaignId): Promise<Campaign | undefined>;

  /**
   * Sets the mirror and records it in the history, both or neither, provided that at the moment of the write the
   * campaign is as `seen` (its owner, its default flag, that it has a mirror), which need not have been read, and that
   * the caller's key is valid and that owner's. A call that begins after the key was revoked writes nothing.
   */
  setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult>;
}
