import type { AccessKey } from '../values/access-key.ts';
import type { AccessKeyId, OwnerId } from '../values/identifiers.ts';
import type { Label } from '../values/label.ts';
import type { Timestamp } from '../values/timestamp.ts';

export interface NewAccessKey {
  readonly owner: OwnerId;
  /** What the key is for, in its holder's words. */
  readonly name: Label;
  /** In seconds from now, by the store's clock; `usualKeyLife` unless given. */
  readonly expiresIn?: number | 'never';
}

/** A year, in seconds: a key that nobody thinks of any more ends by itself. */
export const usualKeyLife = 365 * 86_400;

/** What is kept of a key, but for its SHA-256. */
export interface AccessKeyRecord {
  readonly id: AccessKeyId;
  /** The first 10 characters of the key. */
  readonly displayed: string;
  readonly name: string;
  readonly ownerId: OwnerId;
  readonly createdAt: Timestamp;
  /** Null for never. */
  readonly expiresAt: Timestamp | null;
  /** To the minute; null for a key that was never used. */
  readonly lastUsedAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
  /** The key that a rotation put in its place. */
  readonly replacedBy: AccessKeyId | null;
}

/** Which keys are asked for. */
export interface AccessKeyPage {
  readonly owner?: OwnerId | undefined;
  /** Those behind this one. */
  readonly after?: AccessKeyId | undefined;
  /** Keys, at most: from 1. */
  readonly limit: number;
}

export type KeyRotation =
  | {
      readonly kind: 'rotated';
      readonly id: AccessKeyId;
      readonly key: AccessKey;
      readonly ownerId: OwnerId;
      /** Until when the old key works. */
      readonly oldExpiresAt: Timestamp;
    }
  | { readonly kind: 'key-not-found' }
  | { readonly kind: 'key-revoked' }
  | { readonly kind: 'key-expired' }
  /** In its time of grace a key has a successor: that one is rotated. */
  | { readonly kind: 'key-replaced'; readonly by: AccessKeyId };

/**
 * Where access keys are issued, rotated and revoked. What was done is in the audit, or neither is.
 * Every call throws `Unavailable` when the store is away.
 */
export interface AccessKeys {
  /** The plain key is known to the answer alone: only its SHA-256 is kept. */
  issue(key: NewAccessKey): Promise<{ readonly id: AccessKeyId; readonly key: AccessKey }>;

  /** In ascending order of their identifiers. */
  list(page: AccessKeyPage): Promise<AccessKeyRecord[]>;

  /**
   * Puts a new key in the place of this one: of the same owner and name, to live as long as this one was given, also
   * where that is for ever. This one ends after `grace` seconds, from 0, or at its own expiry where that is sooner. A key is replaced once.
   */
  rotate(id: AccessKeyId, options: { readonly grace: number }): Promise<KeyRotation>;

  /** From now on the key is refused, by every process. False where there is no such key; revoking twice is the same as once. */
  revoke(id: AccessKeyId): Promise<boolean>;
}
