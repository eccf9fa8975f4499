import type { AccessKey } from '../values/access-key.ts';
import type { AccessKeyId, Label, OwnerId, Timestamp } from '../values/identifiers.ts';
import type { RangeQuery } from './campaign-settings.ts';

/** The default lifetime of a key: one year, in seconds. */
export const defaultKeyLifetime = 365 * 86_400;

/** The key to issue. */
export interface NewAccessKey {
  readonly owner: OwnerId;
  readonly name: Label;
  /** In seconds from now, by the store's clock; `defaultKeyLifetime` by default. */
  readonly expiresIn?: number | 'never';
  /** The only hosts to which the key may set mirrors, as `hostList` reads them; any by default. */
  readonly hosts?: readonly string[];
}

/** The stored record of a key, without its SHA-256. `hosts`: null for any host. */
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

/** Which keys to list, by ascending number. */
export type AccessKeyQuery = RangeQuery<AccessKeyId> & {
  /** Only keys that expire within this number of seconds and are not revoked or replaced. */
  readonly expiring?: number | undefined;
  /** Only keys revoked or rotated at or after this time. */
  readonly revokedSince?: Timestamp | undefined;
  /** Only keys limited to hosts that are not revoked, expired or replaced. */
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
  /** Returns the key, of which only the SHA-256 is stored. */
  issue(key: NewAccessKey): Promise<{ readonly id: AccessKeyId; readonly key: AccessKey }>;
  list(query: AccessKeyQuery): Promise<AccessKeyRecord[]>;
  /**
   * Replaces a key, at most once, by a key with the same owner, name and lifetime, and the same hosts or `hosts`. The
   * old key expires after `grace` seconds (0 or more), or at its own expiry if that is earlier.
   */
  rotate(id: AccessKeyId, grace: number, hosts?: readonly string[]): Promise<KeyRotation>;
  /** Once it resolves, every process refuses the keys. Returns the `ids` that exist, or the keys that it revoked. */
  revoke(keys: { ids: readonly AccessKeyId[] } | { owner: OwnerId | 'any' }): Promise<AccessKeyId[]>;
}
