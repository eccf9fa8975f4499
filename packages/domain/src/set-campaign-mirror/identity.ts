import type { Caller } from './caller.ts';

/**
 * Identifies the caller by a credential: what the driving adapter was shown, such as an access key or a signed token.
 * Throws `Unavailable` when it cannot.
 */
export interface Identity {
  /**
   * The caller as far as it is known without reading a store. An access key can have been revoked or have expired
   * since, which `CampaignRepository#setMirror` detects. Undefined if a store must be read.
   */
  claimedBy(credential: string): Promise<Caller | undefined>;

  /** The present caller. Undefined if the credential is unknown, expired or revoked. */
  whoIs(credential: string): Promise<Caller | undefined>;

  /** The name of the reason for which a credential is refused, for the log only; it contains nothing of the credential. */
  whyNot?(credential: string): Promise<string | undefined>;
}
