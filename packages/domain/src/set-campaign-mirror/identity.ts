import type { AccessKey } from '../values/access-key.ts';
import type { Caller } from './caller.ts';

/** Tells who calls. Throws `Unavailable` when it cannot tell. */
export interface Identity {
  /**
   * Whom the key belongs to as far as that is known without a store. It is a claim: the key may have been revoked or
   * have expired since, which `CampaignRepository#setMirror` finds out. Undefined where a store has to be asked.
   */
  claimedBy(key: AccessKey): Promise<Caller | undefined>;

  /** Whom the key belongs to now. Undefined for a key that is unknown, expired or revoked. */
  whoIs(key: AccessKey): Promise<Caller | undefined>;
}
