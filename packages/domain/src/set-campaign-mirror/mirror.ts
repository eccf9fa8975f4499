import type { Branded } from '../values/branded.ts';
import type { CampaignId, MirrorId } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/** A moment in UTC to the microsecond, `2026-11-20T15:36:00.123456Z` (ISO 8601), by the repository's clock. */
export type Timestamp = Branded<string, 'Timestamp'>;

/** The record that a campaign's traffic goes by (specification, section 2). */
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
