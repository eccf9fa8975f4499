import type { AccessKey } from './access-key.ts';
import type { AccessKeyId, OwnerId } from './identifiers.ts';
import type { Label } from './label.ts';

export interface NewAccessKey {
  readonly owner: OwnerId;
  /** What the key is for, in its holder's words. */
  readonly name: Label;
  /** In seconds from now, by the store's clock; a key without it never expires. */
  readonly expiresIn?: number;
}

/**
 * Where access keys are issued and revoked. What was done is in the audit, or neither is.
 * Every call throws `Unavailable` when the store is away.
 */
export interface AccessKeys {
  /** The plain key is known to the answer alone: only its SHA-256 is kept. */
  issue(key: NewAccessKey): Promise<{ readonly id: AccessKeyId; readonly key: AccessKey }>;

  /** From now on the key is refused, by every process. False where there is no such key; revoking twice is the same as once. */
  revoke(id: AccessKeyId): Promise<boolean>;
}
