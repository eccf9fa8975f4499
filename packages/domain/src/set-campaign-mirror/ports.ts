import type { HostList } from '../values/hosts.ts';
import type * as values from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';

/**
 * Thrown by every call of a port whose store cannot be reached or did not answer in time. The outcome of a write is
 * then unknown. The message contains no secret; `cause` is the original error.
 */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/** The owner of a credential, and who used it, as the history records it. */
export interface Caller {
  readonly ownerId: values.OwnerId;
  /** `keySubject(key)` for a caller with an access key, otherwise another kind. */
  readonly subject: values.Subject;
  /** The access key, which each write proves. Undefined: the identity needs no proof. */
  readonly key?: values.AccessKeyId | undefined;
  /** The only hosts to which the caller may set mirrors; any by default. They never change for a credential. */
  readonly hosts?: HostList | undefined;
}

/** Why a credential is refused, for the log only, and its subject, if known. Contains no part of the credential. */
export interface Refused {
  readonly refused: string;
  readonly subject?: values.Subject | undefined;
}

/** The caller of a credential, or why it is refused. Undefined: the credential is unknown. */
export type Identified = Caller | Refused | undefined;

/** Identifies callers by credentials, such as access keys or signed tokens. */
export interface Identity {
  /**
   * Identifies the caller of a credential. Only a caller with an access key may be cached; `afresh` bypasses the cache.
   * @throws Unavailable if this cannot be found out now; with any other error, the call ends as a 500
   */
  whoIs(credential: string, options?: { readonly afresh?: boolean }): Promise<Identified>;
}

/** Whether the credential belongs to a caller. An identity written in JavaScript may return null. */
export const isCaller = (identified: Identified): identified is Caller =>
  identified != null && !('refused' in identified);

/** The facts that the rules check. An update takes effect only if all of them still hold. */
export interface Campaign {
  readonly id: values.CampaignId;
  readonly ownerId: values.OwnerId;
  readonly isDefault: boolean;
  readonly hasMirror: boolean;
}

/** The record that determines where a campaign's traffic goes (contract: the mirror). */
export interface Mirror {
  readonly id: values.MirrorId;
  readonly campaignId: values.CampaignId;
  readonly targetUrl: MirrorAddress;
  /** From 0 to 2^53-1; written by the redirector, never by this service. */
  readonly clicks: number;
  readonly updatedExternally: boolean;
  /** Null before the first update through this service. */
  readonly updatedExternallyAt: values.Timestamp | null;
  readonly createdAt: values.Timestamp;
  /** Increases strictly with every update. */
  readonly updatedAt: values.Timestamp;
}

/** A stored mirror change (contract: history). It outlives the campaign, the mirror and the key. */
export interface HistoryEntry {
  readonly id: values.HistoryId;
  readonly mirrorId: values.MirrorId;
  readonly campaignId: values.CampaignId;
  readonly subject: values.Subject;
  /** The owner of the campaign at that moment. */
  readonly ownerId: values.OwnerId;
  readonly addressBefore: MirrorAddress;
  readonly addressAfter: MirrorAddress;
  /** Equal to the mirror's `updatedAt`. */
  readonly changedAt: values.Timestamp;
  readonly requestId: string;
}

/** The address to set, who sets it, and the condition. */
export interface MirrorChange {
  readonly address: MirrorAddress;
  readonly by: Pick<Caller, 'ownerId' | 'subject'>;
  /** The access key that must be valid and belong to the seen owner, as the write proves. Undefined: no proof. */
  readonly key: values.AccessKeyId | undefined;
  /** Links the history to the log lines of the request: 1 to 128 visible ASCII characters. It may repeat. */
  readonly requestId: string;
  /**
   * The number that the last change of the campaign's mirrors must have (contract: the condition): a safe integer; 0 if
   * there is no change. A negative number never matches. Undefined: no condition.
   */
  readonly lastChange?: number | undefined;
}

/** The result of setting a mirror. Nothing was written unless it is `mirror-set`. */
export type SetMirrorResult =
  | MirrorNow
  /** The access key is not valid, or belongs to another owner. */
  | { readonly kind: 'caller-invalid' }
  /** The campaign differs from what was seen. `campaign`: its current state; undefined if it does not exist. */
  | { readonly kind: 'campaign-differs'; readonly campaign: Campaign | undefined };

/** The current mirror, and the number of its last change: this one, an earlier one, or 0 if there is none. */
export type MirrorNow =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror; readonly lastChange: values.HistoryId }
  | { readonly kind: 'condition-failed'; readonly mirror: Mirror; readonly lastChange: number };

/** Stores campaigns and mirrors. Both methods throw `Unavailable`; with any other error, the call ends as a 500. */
export interface CampaignRepository {
  /** The current campaign, read at one moment. */
  find(id: values.CampaignId): Promise<Campaign | undefined>;

  /**
   * Sets the mirror and records the change in the history, in one transaction. At the moment of the write, in this
   * order: the key must be valid, the campaign must equal `seen` (which may be an assumption) and have a mirror, and
   * the condition must hold for the mirror that is written.
   */
  setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult>;
}
