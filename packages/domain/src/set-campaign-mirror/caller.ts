import type { AccessKeyId, OwnerId } from '../values/identifiers.ts';

/** Who calls: the owner that a valid access key was issued to, and which key it was. */
export interface Caller {
  readonly ownerId: OwnerId;
  readonly accessKeyId: AccessKeyId;
}
