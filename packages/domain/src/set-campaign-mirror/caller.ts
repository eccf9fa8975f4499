import type { OwnerId } from '../values/identifiers.ts';
import type { Subject } from '../values/subject.ts';

/** The caller: the owner that a credential belongs to, and who used it, as the history shows it. */
export interface Caller {
  readonly ownerId: OwnerId;
  readonly subject: Subject;
}
