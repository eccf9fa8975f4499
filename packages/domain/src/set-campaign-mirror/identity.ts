import type { OwnerId, Subject } from '../values/identifiers.ts';

/** The caller: the owner that a credential belongs to, and who used it, as the history shows it. */
export interface Caller {
  readonly ownerId: OwnerId;
  readonly subject: Subject;
}

/**
 * A credential that is refused. `refused` is the reason, for the log only. `subject` is the subject to which the
 * credential was issued, if it is recorded. Neither contains any part of the credential.
 */
export interface Refused {
  readonly refused: string;
  readonly subject?: Subject;
}

/** The caller that a credential belongs to, or why it is refused. Undefined if the credential is unknown. */
export type Identified = Caller | Refused | undefined;

/**
 * Identifies the caller by the credential that came with a request, such as an access key or a signed token. Every call
 * throws `Unavailable` when it cannot identify the caller now.
 */
export interface Identity {
  /**
   * The caller or the refusal, if it is known without reading a store; undefined if a store must be read. An access key
   * can have been revoked or have expired since; `CampaignRepository#setMirror` detects that. Another caller, or a
   * refusal, is final: nothing checks it again.
   */
  claimedBy(credential: string): Promise<Identified>;

  /** The caller that the credential belongs to now, or why it is refused, such as that it has expired. */
  whoIs(credential: string): Promise<Identified>;
}

export function isCaller(identified: Identified): identified is Caller {
  return identified !== undefined && !('refused' in identified);
}

export interface CallLimit {
  /**
   * Counts the call.
   * @throws Unavailable if the call cannot be counted and must not proceed
   */
  admits(caller: Caller): Promise<Admission>;
}

export interface Admission {
  readonly admitted: boolean;
  /** Milliseconds until the limit admits as many calls as at first; 0 if that is unknown. */
  readonly resetIn: number;
}
