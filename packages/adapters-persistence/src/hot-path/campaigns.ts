import {
  accessKeyOf,
  type Campaign,
  type CampaignId,
  type CampaignRepository,
  type MirrorChange,
  type SetMirrorResult,
} from '@campaign-mirror/domain';
import { type HotPathObserver, silentHotPathObserver } from '../statements/hot-path-observer.ts';
import type { HotPath } from './hot-path.ts';
import type { KeyUses } from './key-uses.ts';

/**
 * Campaigns and mirrors in PostgreSQL. `uses` records the keys that a write has proven; by default they are not
 * recorded.
 */
export class PostgresCampaigns implements CampaignRepository {
  readonly #hotPath: Pick<HotPath, 'campaign' | 'set'>;
  readonly #observer: HotPathObserver;
  readonly #uses: KeyUses | undefined;

  constructor(
    hotPath: Pick<HotPath, 'campaign' | 'set'>,
    { observer = silentHotPathObserver, uses }: { observer?: HotPathObserver; uses?: KeyUses } = {},
  ) {
    this.#hotPath = hotPath;
    this.#observer = observer;
    this.#uses = uses;
  }

  find(id: CampaignId): Promise<Campaign | undefined> {
    return this.#hotPath.campaign(id);
  }

  async setMirror(seen: Campaign, change: MirrorChange): Promise<SetMirrorResult> {
    if (seen.hasMirror) {
      const result = await this.#hotPath.set(seen, change);
      const key = accessKeyOf(change.by.subject);
      if (key && result && result.kind !== 'caller-invalid') this.#uses?.note(key);
      if (result) return result;
      this.#observer.judgedAgain();
    }
    return { kind: 'campaign-differs', campaign: await this.find(seen.id) };
  }
}
