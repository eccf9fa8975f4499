import type { AccessKey } from '../values/access-key.ts';
import type { Caller } from './caller.ts';

/** Identifies the caller. Throws `Unavailable` when it cannot. */
export interface Identity {
  /**
   * The key's owner as far as it is known without reading a store. The key can have been revoked or have expired
   * since, which `CampaignRepository#setMirror` detects. Undefined if a store must be read.
   */
  claimedBy(key: AccessKey): Promise<Caller | undefined>;

  /** The key's current owner. Undefined if the key is unknown, expired or revoked. */
  whoIs(key: AccessKey): Promise<Caller | undefined>;
}
