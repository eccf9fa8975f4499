import type { OwnerId, Subject } from '../values/identifiers.ts';
import type { HostList } from '../values/mirror-address.ts';

/** The caller: the owner that a credential belongs to, and who used it, as the history shows it. */
export interface Caller {
  readonly ownerId: OwnerId;
  readonly subject: Subject;
  /** The only hosts to which the caller may set mirrors; by default, any. It never changes for a credential. */
  readonly hosts?: HostList | undefined;
  /** The credential was valid once, and was not looked up since: the write has to prove that it still is. */
  readonly toProve?: true;
}

/** The reason, for the log only, and to whom the credential was issued, if that is recorded; no part of the credential. */
export interface Refused {
  readonly refused: string;
  readonly subject?: Subject;
}

/** The caller that a credential belongs to, or why it is refused. Undefined if the credential is unknown. */
export type Identified = Caller | Refused | undefined;

/** Identifies the caller by the credential that came with a request, such as an access key or a signed token. */
export interface Identity {
  /** The caller that the credential belongs to now, or why it is refused, such as that it has expired. */
  whoIs(credential: string): Promise<Identified>;

  /**
   * The caller of an access key that `whoIs` found valid before, without asking anybody. It can have been revoked or have
   * expired since, which `CampaignRepository#setMirror` detects. No other credential may be remembered: no write proves it.
   */
  remembered?(credential: string): (Caller & { readonly toProve: true }) | undefined;
}

/** Whether the credential belongs to a caller. In JavaScript, nobody can be null. */
export function isCaller(identified: Identified): identified is Caller {
  return identified != null && !('refused' in identified);
}
