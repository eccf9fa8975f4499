import type { AccessKey } from '../values/access-key.ts';
import type { AccessKeyId, Label, OwnerId, Timestamp } from '../values/identifiers.ts';

/** The key to issue. */
export interface NewAccessKey {
  readonly owner: OwnerId;
  /** The purpose of the key, in its holder's words. */
  readonly name: Label;
  /** In seconds from now, by the store's clock; `usualKeyLife` by default. */
  readonly expiresIn?: number | 'never';
  /** The only hosts to which the key may set mirrors, such as `*.example.com`, as `hostList` reads them; by default, any. */
  readonly hosts?: readonly string[];
}

/** The stored record of a key, without its SHA-256. */
export interface AccessKeyRecord {
  readonly id: AccessKeyId;
  /** The first 10 characters of the key. */
  readonly displayed: string;
  readonly name: string;
  readonly ownerId: OwnerId;
  /** Null if the key may set mirrors to any host. */
  readonly hosts: readonly string[] | null;
  readonly createdAt: Timestamp;
  /** Null if it does not expire. */
  readonly expiresAt: Timestamp | null;
  /** To the minute; null if the key was never used. */
  readonly lastUsedAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
  /** The key that replaced it in a rotation. */
  readonly replacedBy: AccessKeyId | null;
}

/** Which keys to list: those after one, at most `limit` (1 or more). */
export interface AccessKeyPage {
  readonly owner?: OwnerId | undefined;
  /** Only keys that expire within so many seconds, by the store's clock, and are neither revoked nor replaced. */
  readonly expiring?: number | undefined;
  readonly after?: AccessKeyId | undefined;
  readonly limit: number;
}

/** The result of a rotation. Nothing was changed unless it is `rotated`. */
export type KeyRotation =
  | {
      readonly kind: 'rotated';
      readonly id: AccessKeyId;
      readonly key: AccessKey;
      readonly ownerId: OwnerId;
      readonly oldExpiresAt: Timestamp;
    }
  | { readonly kind: 'key-not-found' | 'key-revoked' | 'key-expired' }
  /** The key has a successor, `by`, which can be rotated instead. */
  | { readonly kind: 'key-replaced'; readonly by: AccessKeyId };

/** Issues, rotates and revokes access keys. An act and its audit entry are committed together. */
export interface AccessKeys {
  /** Returns the key itself, of which only the SHA-256 is stored. */
  issue(key: NewAccessKey): Promise<{ readonly id: AccessKeyId; readonly key: AccessKey }>;

  /** By ascending identifier. */
  list(page: AccessKeyPage): Promise<AccessKeyRecord[]>;

  /**
   * Replaces a key, once, with one of the same owner, name, hosts and lifetime, including no expiry. The old one expires
   * after `grace` seconds (0 or more), or at its own expiry if that is sooner.
   */
  rotate(id: AccessKeyId, options: { readonly grace: number }): Promise<KeyRotation>;

  /** Once this resolves, every process refuses the key. False if there is no such key. Again, it changes nothing. */
  revoke(id: AccessKeyId): Promise<boolean>;
}
