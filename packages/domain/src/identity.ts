import type { AccessKey } from './access-key.ts';
import type { Caller } from './caller.ts';

/** Tells who calls. Throws `Unavailable` when it can not tell. */
export interface Identity {
  /** Undefined for a key that is unknown, expired or revoked. */
  whoIs(key: AccessKey): Promise<Caller | undefined>;
}
