import type { CampaignId, HistoryId, MirrorId, OwnerId, Subject, Timestamp } from '../values/identifiers.ts';
import type { MirrorAddress } from '../values/mirror-address.ts';
import type { Caller } from './identity.ts';

/** The facts that the rules check. An update takes effect only while all of them still hold. */
export interface Campaign {
  readonly id: CampaignId;
  readonly ownerId: OwnerId;
  readonly isDefault: boolean;
  readonly hasMirror: boolean;
}

/** The record that determines where a campaign's traffic goes (contract: the mirror). */
export interface Mirror {
  readonly id: MirrorId;
  readonly campaignId: CampaignId;
  readonly targetUrl: MirrorAddress;
  /** From 0 to 2^53-1; written by the redirector, never by this service. */
  readonly clicks: number;
  readonly updatedExternally: boolean;
  /** Null until the first update through this service. */
  readonly updatedExternallyAt: Timestamp | null;
  readonly createdAt: Timestamp;
  /** Increases strictly with every update. */
  readonly updatedAt: Timestamp;
}

/** A mirror change as stored (contract: history). It is kept after the campaign, the mirror and the key are deleted. */
export interface HistoryEntry {
  readonly id: HistoryId;
  readonly mirrorId: MirrorId;
  readonly campaignId: CampaignId;
  /** Who changed the mirror. */
  readonly subject: Subject;
  /** The owner of the campaign at that moment. */
  readonly ownerId: OwnerId;
  /** The address that this change replaced. */
  readonly addressBefore: MirrorAddress;
  readonly addressAfter: MirrorAddress;
  /** Equal to the mirror's `updatedAt`. */
  readonly changedAt: Timestamp;
  readonly requestId: string;
}

/** The address to set and its caller, as recorded in the history. */
export interface MirrorChange {
  readonly address: MirrorAddress;
  readonly by: Caller;
  /** Links the history row to the log lines of the request: 1 to 128 visible ASCII characters. */
  readonly requestId: string;
  /**
   * The number that the mirror's last change must have (contract: the condition): a safe integer, 0 if the mirror never
   * changed. A negative one is that of no change, so that the condition never holds. By default, any.
   */
  readonly lastChange?: number | undefined;
}

/** The result of an attempt to set a mirror. Nothing was written unless it is `mirror-set`. */
export type SetMirrorResult =
  | MirrorNow
  /** The caller's access key is no longer valid, or has another owner. The campaign is not reported. */
  | { readonly kind: 'caller-invalid' }
  /** The campaign is not as it was seen. `campaign` is its current state, undefined if it does not exist. */
  | { readonly kind: 'campaign-differs'; readonly campaign: Campaign | undefined };

/** The mirror as it is now, and the number of its last change, 0 if it never changed. */
export type MirrorNow =
  | { readonly kind: 'mirror-set'; readonly mirror: Mirror; readonly lastChange: HistoryId }
  /** Only the mirror's last change is another one. */
  | { readonly kind: 'condition-failed'; readonly mirror: Mirror; readonly lastChange: number };

/** Stores campaigns and their mirrors. */
export interface CampaignRepository {
  /** The current state of the campaign. Undefined if there is no such campaign. */
  find(id: CampaignId): Promise<Campaign | undefined>;

  /**
   * Sets the mirror and records it in the history; both are committed or neither. Requires that at the moment of the
   * write the campaign is as `seen` (its owner, its default flag, that it has a mirror), which need not have been read, and,
   * if the caller's subject is an access key, that this key is valid and belongs to that owner. If all of that is so, the
   * last change is compared, of the mirror that would be written.
   */
  setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult>;
}
