import type { OwnerId, Subject } from '../values/identifiers.ts';

/** The caller: the owner that a credential belongs to, and who used it, as the history shows it. */
export interface Caller {
  readonly ownerId: OwnerId;
  readonly subject: Subject;
}

/**
 * A credential that is refused. `refused` names the reason, for the log only; it contains nothing of the credential, and
 * nor does `subject`, which names it where it was issued once.
 */
export interface Refused {
  readonly refused: string;
  readonly subject?: Subject;
}

/** The caller that a credential belongs to; why it is refused; or undefined: it is not known. */
export type Identified = Caller | Refused | undefined;

/**
 * Identifies the caller by a credential: what the driving adapter was shown, such as an access key or a signed token.
 * Throws `Unavailable` when it cannot.
 */
export interface Identity {
  /**
   * Whom the credential identifies, as far as that is known without reading a store; undefined if a store must be read.
   * An access key can have been revoked or have expired since, which `CampaignRepository#setMirror` detects. Nothing
   * proves another caller, or a refusal, again.
   */
  claimedBy(credential: string): Promise<Identified>;

  /** Whom the credential identifies now; why it is refused, such as that it has expired; undefined if it is unknown. */
  whoIs(credential: string): Promise<Identified>;
}

/** Whether a caller was identified. */
export function isCaller(identified: Identified): identified is Caller {
  return identified !== undefined && !('refused' in identified);
}

/** Limits how often a caller can call. */
export interface CallLimit {
  /**
   * Counts the call.
   * @throws Unavailable if the call cannot be counted and must not proceed
   */
  admits(caller: Caller): Promise<Admission>;
}

/** Whether a call is within its limit. */
export interface Admission {
  readonly admitted: boolean;
  /** Milliseconds until the limit admits as many calls as at first; 0 if that is not known. */
  readonly resetIn: number;
}
