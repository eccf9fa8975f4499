import type { Campaign, CampaignId, Mirror, MirrorChange } from '@campaign-mirror/domain';
import { GroupedLookUps } from './grouped-look-ups.ts';
import { GroupedUpdates } from './grouped-updates.ts';
import type { HotPath, ValidKey } from './hot-path.ts';
import { type HotPathObserver, silentHotPathObserver } from './hot-path-observer.ts';
import { SingleStatements } from './single-statements.ts';
import type { Statements } from './statements.ts';
import type { WaitingRoomLimits } from './waiting-room.ts';

/** Campaigns that are waited for at once, at most: half of the pool, so that the rest goes on. */
export function heldAtMost(poolSize: number): number {
  return Math.max(1, Math.floor(poolSize / 2));
}

/** Calls that arrive while a statement is under way go together with the next one, and share its commit. */
export class GroupCommit implements HotPath {
  readonly #lookUps: GroupedLookUps;
  readonly #updates: GroupedUpdates;

  constructor(
    statements: Statements,
    limits: WaitingRoomLimits,
    observer: HotPathObserver = silentHotPathObserver,
  ) {
    const alone = new SingleStatements(statements);
    this.#lookUps = new GroupedLookUps(statements, alone, limits.patience, observer);
    this.#updates = new GroupedUpdates(statements, alone, limits, observer);
  }

  key(hash: Buffer): Promise<ValidKey | undefined> {
    return this.#lookUps.key(hash);
  }

  campaign(id: CampaignId): Promise<Campaign | undefined> {
    return this.#lookUps.campaign(id);
  }

  set(seen: Campaign, change: MirrorChange): Promise<Mirror | undefined> {
    return this.#updates.set(seen, change);
  }
}
