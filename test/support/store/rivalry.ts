import type { CampaignId, OwnerId } from '@campaign-mirror/domain';
import type { TestDatabase } from '../database/database-server.ts';
import { rival } from '../database/rival.ts';
import { rivalAddress } from './history-agreement.ts';

/** Between whom campaigns pass, and which they are. */
interface Contested {
  readonly campaigns: readonly CampaignId[];
  readonly owners: readonly OwnerId[];
}

/**
 * Somebody who again and again does something to a campaign, then to its mirror, and commits or takes it back; until
 * `over` says so. In this order, which is everybody's, no two of them lock each other out.
 */
export async function rivalry(
  database: TestDatabase,
  { campaigns, owners }: Contested,
  random: () => number,
  over: () => boolean,
): Promise<void> {
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const toCampaign = (id: CampaignId) => [
    `update campaign_mirror.campaigns set owner_id = ${one(owners)} where id = ${id}`,
    `update campaign_mirror.campaigns set is_default = ${random() < 0.2} where id = ${id}`,
    `select from campaign_mirror.campaigns where id = ${id} for update`,
    'select',
  ];
  const toMirror = (id: CampaignId) => [
    `update campaign_mirror.mirrors set clicks = clicks + 1 where campaign_id = ${id}`,
    `update campaign_mirror.mirrors set target_url = '${rivalAddress}/${random()}' where campaign_id = ${id}`,
    `select from campaign_mirror.mirrors where campaign_id = ${id} for update`,
    `delete from campaign_mirror.mirrors where campaign_id = ${id}`,
    ...Array.from(
      { length: 3 },
      () => `insert into campaign_mirror.mirrors (campaign_id, target_url)
        values (${id}, '${rivalAddress}/${random()}') on conflict do nothing`,
    ),
    'select',
  ];
  while (!over()) {
    const id = one(campaigns);
    const other = await rival(database);
    try {
      await other.run(one(toCampaign(id)));
      await other.run(one(toMirror(id)));
    } catch {
      // The owner has a default campaign already.
      await other.rollback();
      continue;
    }
    await other[one(['commit', 'rollback'] as const)]();
  }
}
