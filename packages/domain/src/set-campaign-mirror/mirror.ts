import type { CampaignId, MirrorId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** The record that a campaign's traffic goes by (contract: the mirror). */
export interface Mirror {
  readonly id: MirrorId;
  readonly campaignId: CampaignId;
  /** The address, exactly as it was submitted. */
  readonly targetUrl: MirrorAddress;
  /** From 0 to 2^53-1; counted by the redirector, never written here. */
  readonly clicks: number;
  readonly updatedExternally: boolean;
  /** Null until the first update through this service. */
  readonly updatedExternallyAt: Timestamp | null;
  readonly createdAt: Timestamp;
  /** Strictly rises with every update. */
  readonly updatedAt: Timestamp;
}
