import type { AccessKeyId, OwnerId } from '../values/identifiers.ts';

/** The caller: the owner that a valid access key was issued to, and the key. */
export interface Caller {
  readonly ownerId: OwnerId;
  readonly accessKeyId: AccessKeyId;
}
