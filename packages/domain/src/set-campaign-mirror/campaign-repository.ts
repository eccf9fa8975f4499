import type * as values from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Caller } from './identity.ts';

/** The facts that the rules check. An update takes effect only while all of them still hold. */
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
  /** Null until the first update through this service. */
  readonly updatedExternallyAt: values.Timestamp | null;
  readonly createdAt: values.Timestamp;
  /** Increases strictly with every update. */
  readonly updatedAt: values.Timestamp;
}

/** A mirror change as stored (contract: history). It is kept after the campaign, the mirror and the key are deleted. */
export interface HistoryEntry {
  readonly id: values.HistoryId;
  readonly mirrorId: values.MirrorId;
  readonly campaignId: values.CampaignId;
  /** Who changed the mirror. */
  readonly subject: values.Subject;
  /** The owner of the campaign at that moment. */
  readonly ownerId: values.OwnerId;
  /** The address that this change replaced. */
  readonly addressBefore: MirrorAddress;
  readonly addressAfter: MirrorAddress;
  /** Equal to the mirror's `updatedAt`. */
  readonly changedAt: values.Timestamp;
  readonly requestId: string;
}

/** The address to set, who sets it, and on which condition. */
export interface MirrorChange {
  readonly address: MirrorAddress;
  /** Who changes the mirror, as the history records it. */
  readonly by: Pick<Caller, 'ownerId' | 'subject'>;
  /** The access key that the write proves: it is valid, and of the owner that was seen. Undefined: there is none to prove. */
  readonly key: values.AccessKeyId | undefined;
  /** Links the history to the log lines of the request: 1 to 128 visible ASCII characters. It may repeat. */
  readonly requestId: string;
  /**
   * The number that the last change of the campaign's mirrors must have (contract: the condition): a safe integer, 0 if
   * there was none. A negative one is that of no change, so that the condition never holds. Undefined: any.
   */
  readonly lastChange?: number | undefined;
}

/** The result of an attempt to set a mirror. Nothing was written unless it is `mirror-set`. */
export type SetMirrorResult =
  | MirrorNow
  /** The access key is not valid, or has another owner. */
  | { readonly kind: 'caller-invalid' }
  /** The campaign is not as it was seen. `campaign` is its current state, undefined if it does not exist. */
  | { readonly kind: 'campaign-differs'; readonly campaign: Campaign | undefined };

/** The mirror as it is now, and the number of the last change: of this one, of an earlier one, or 0 if there was none. */
export type MirrorNow =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror; readonly lastChange: values.HistoryId }
  /** Only the mirror's last change is another one. */
  | { readonly kind: 'condition-failed'; readonly mirror: Mirror; readonly lastChange: number };

/**
 * Stores campaigns and their mirrors. Both methods throw `Unavailable` when the store cannot be reached or did not answer
 * in time; then it is unknown whether a write was committed. With any other error, the call ends as a 500.
 */
export interface CampaignRepository {
  /** The campaign as it is now, at one moment. Undefined if there is none. */
  find(id: values.CampaignId): Promise<Campaign | undefined>;

  /**
   * Sets the mirror and records the change in the history; both are committed, or neither. At the moment of the write,
   * the key must be valid, the campaign must be as `seen` (which need not have been read) with a mirror, and the condition
   * must hold: they are judged in this order, the condition on the mirror that would be written.
   */
  setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult>;
}
