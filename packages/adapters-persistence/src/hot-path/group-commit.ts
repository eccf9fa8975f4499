import type { Caller, Campaign, CampaignId, MirrorChange, SetMirrorResult } from '@campaign-mirror/domain';
import { type HotPathObserver, silentHotPathObserver } from '../statements/hot-path-observer.ts';
import type { Statements } from '../statements/statements.ts';
import { GroupedLookUps } from './grouped-look-ups.ts';
import { GroupedUpdates } from './grouped-updates.ts';
import type { HotPath } from './hot-path.ts';

/** The maximum number of campaigns waited for at once: half of the pool, so that other work continues. */
export function heldAtMost(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize / 2));
}

export interface GroupCommitLimits {
  /** The maximum number of campaigns whose locks are awaited at once, each on its own connection. */
  readonly maxHeld: number;
  /** How long a call waits for its turn, in milliseconds. */
  readonly timeout: number;
}

/** Calls that arrive while a statement is running share the next one and its commit. */
export class GroupCommit implements HotPath {
  readonly #lookUps: GroupedLookUps;
  readonly #updates: GroupedUpdates;

  constructor(
    statements: Statements,
    limits: GroupCommitLimits,
    observer: HotPathObserver = silentHotPathObserver,
  ) {
    this.#lookUps = new GroupedLookUps(statements, limits.timeout, observer);
    this.#updates = new GroupedUpdates(statements, limits, observer);
  }

  key(hash: Buffer): Promise<Caller | undefined> {
    return this.#lookUps.key(hash);
  }

  campaign(id: CampaignId): Promise<Campaign | undefined> {
    return this.#lookUps.campaign(id);
  }

  set(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult | undefined> {
    return this.#updates.set(seen, change);
  }
}
