import type { HostList } from '../values/hosts.ts';
import type { AccessKeyId, OwnerId, Subject } from '../values/identifiers.ts';

/** The caller: the owner that a credential belongs to, and who used it, as the history shows it. */
export interface Caller {
  readonly ownerId: OwnerId;
  /** `keySubject(key)` for a caller with an access key, otherwise another kind. */
  readonly subject: Subject;
  /** The access key, for each write to prove. Undefined for a caller whose identity needs no such proof. */
  readonly key?: AccessKeyId | undefined;
  /** The only hosts to which the caller may set mirrors; by default, any. They never change for a credential. */
  readonly hosts?: HostList | undefined;
}

/** Why a credential is refused, for the log only; and to whom it was issued, if that is known. No part of the credential. */
export interface Refused {
  readonly refused: string;
  readonly subject?: Subject | undefined;
}

/** The caller that a credential belongs to, or why it is refused. Undefined if the credential is unknown. */
export type Identified = Caller | Refused | undefined;

/** Identifies callers by the credentials of their requests, such as access keys or signed tokens. */
export interface Identity {
  /**
   * The caller that the credential belongs to, or why it is refused, such as that it has expired. Only a caller with an
   * access key may be remembered, and only until it is asked for with `afresh`: then the answer is that of now.
   * @throws Unavailable when this cannot be found out now; with any other error, the call ends as a 500
   */
  whoIs(credential: string, options?: { readonly afresh?: boolean }): Promise<Identified>;
}

/** Whether the credential belongs to a caller. In JavaScript, nobody can be null. */
export function isCaller(identified: Identified): identified is Caller {
  return identified != null && !('refused' in identified);
}
