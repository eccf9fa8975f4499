import type { CampaignId, MirrorId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Timestamp } from '../values/timestamp.ts';

/** The record that determines where a campaign's traffic goes (contract: the mirror). */
export interface Mirror {
  readonly id: MirrorId;
  readonly campaignId: CampaignId;
  /** The address, exactly as it was submitted. */
  readonly targetUrl: MirrorAddress;
  /** From 0 to 2^53-1; written by the redirector, never by this service. */
  readonly clicks: number;
  readonly updatedExternally: boolean;
  /** Null until the first update through this service. */
  readonly updatedExternallyAt: Timestamp | null;
  readonly createdAt: Timestamp;
  /** Increases strictly with every update. */
  readonly updatedAt: Timestamp;
}
