import type { AccessKey } from '../values/access-key.ts';
import type { AccessKeyId, Label, OwnerId, Timestamp } from '../values/identifiers.ts';
import type { Page } from './campaign-settings.ts';

/** The lifetime of a key unless another is given: a year, in seconds, so that a forgotten key expires. */
export const usualKeyLife = 365 * 86_400;

/** The key to issue. */
export interface NewAccessKey {
  readonly owner: OwnerId;
  readonly name: Label;
  /** In seconds from now, by the store's clock; `usualKeyLife` by default. */
  readonly expiresIn?: number | 'never';
  /** The only hosts to which the key may set mirrors, as `hostList` reads them; by default, any. */
  readonly hosts?: readonly string[];
}

/** The stored record of a key, without its SHA-256. Null: any host, never. */
export interface AccessKeyRecord {
  readonly id: AccessKeyId;
  /** The first 10 characters of the key. */
  readonly displayed: string;
  readonly name: string;
  readonly ownerId: OwnerId;
  readonly hosts: readonly string[] | null;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp | null;
  /** To the minute. */
  readonly lastUsedAt: Timestamp | null;
  readonly revokedAt: Timestamp | null;
  readonly replacedBy: AccessKeyId | null;
}

/**
 * Only keys that are `expiring` within so many seconds, by the store's clock, and not revoked or replaced; were
 * revoked or rotated at or after `revokedSince`; are `limited` to certain hosts, and not revoked, expired or replaced.
 */
export type AccessKeyPage = Page<AccessKeyId> & {
  readonly expiring?: number | undefined;
  readonly revokedSince?: Timestamp | undefined;
  readonly limited?: true;
};

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
  | { readonly kind: 'key-replaced'; readonly by: AccessKeyId };

/** Issues, rotates and revokes access keys. An act and its audit entry are committed together. */
export interface AccessKeys {
  /** Returns the key itself, of which only the SHA-256 is stored. */
  issue(key: NewAccessKey): Promise<{ readonly id: AccessKeyId; readonly key: AccessKey }>;
  list(page: AccessKeyPage): Promise<AccessKeyRecord[]>;
  /**
   * Replaces a key, once, with one of the same owner, name and lifetime, including no expiry, for other hosts or
   * the same. The old one expires after `grace` seconds (0 or more), or at its own expiry if that is sooner.
   */
  rotate(id: AccessKeyId, grace: number, hosts?: readonly string[]): Promise<KeyRotation>;
  /** Once this resolves, every process refuses the keys. Returns the `ids` that exist, or what it revoked. */
  revoke(keys: { ids: readonly AccessKeyId[] } | { owner: OwnerId | 'any' }): Promise<AccessKeyId[]>;
}
