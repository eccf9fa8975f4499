import type { Campaign } from '../set-campaign-mirror/campaign.ts';
import type { AccessKeyId } from '../values/identifiers.ts';
import { accessKeyOf } from '../values/subject.ts';
import type { CampaignRepositoryWorld, KeyHolder } from './campaign-repository-world.ts';
import { type Case, part } from './case.ts';
import { expectEqual, expectFields } from './expectations.ts';
import { after, before, change, liveCampaign, mirrorSet, newOwner, withoutKey } from './live-campaign.ts';

type World = CampaignRepositoryWorld;

/** contract: atomicity — at the moment of the write, the caller's key is valid, if it has one. */
export const callerCases: readonly Case<World>[] = [
  invalid('is revoked', (keys, key) => keys.revoke(key)),
  invalid('has expired', (keys, key) => keys.expire(key)),
  invalid('is deleted', (keys, key) => keys.delete(key)),
  invalid('belongs to another owner', (keys, key) => keys.give(key, newOwner())),
  invalid('is revoked and the campaign belongs to another owner', async (keys, key, { others }, { id }) => {
    await keys.revoke(key);
    await others.transfer(id, newOwner());
  }),
  {
    name: 'setMirror: a caller without a key is proven by its identity alone, and its campaign by the write',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const key = accessKeyOf(by.subject);
      if (key) await world.keys?.revoke(key);
      const keyless = { ...by, subject: withoutKey };
      expectFields(await mirrorSet(world, seen, change(keyless)), { targetUrl: after });
      const [row, ...more] = await world.others.history(seen.id);
      expectFields(row, { subject: withoutKey, ownerId: seen.ownerId, addressBefore: before });
      const to = newOwner();
      await world.others.transfer(seen.id, to);
      const result = await world.campaigns.setMirror(seen, change(keyless));
      expectEqual(result, { kind: 'campaign-differs', campaign: { ...seen, ownerId: to } });
      expectEqual(more, []);
    },
  },
];

function invalid(
  when: string,
  meanwhile: (keys: KeyHolder, key: AccessKeyId, world: World, seen: Campaign) => Promise<unknown>,
): Case<World> {
  return {
    name: `setMirror: nothing is written, and nothing is said about the campaign, when the key ${when}`,
    needs: 'keys',
    run: async (world) => {
      const keys = part(world, 'keys');
      const { seen, by } = await liveCampaign(world);
      await meanwhile(keys, accessKeyOf(by.subject) as AccessKeyId, world, seen);
      const mirror = await world.others.mirror(seen.id);
      const result = await world.campaigns.setMirror(seen, change(by));
      expectEqual(result, { kind: 'caller-invalid' });
      expectEqual(await world.others.mirror(seen.id), mirror);
      expectEqual(await world.others.history(seen.id), []);
    },
  };
}
