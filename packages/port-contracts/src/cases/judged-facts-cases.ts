import type { AccessKeyId, Campaign, Subject, Timestamp } from '@campaign-mirror/domain';
import { accessKeyOf, keySubject } from '@campaign-mirror/domain';
import { type Case, casesOf, expectEqual, expectFields, expectThat } from '../kit/case.ts';
import { meanwhileCases } from '../kit/meanwhile.ts';
import * as live from './campaign-repository-world.ts';

type World = live.CampaignRepositoryWorld;

const otherOwner = live.newOwner();

/** `find` returns the facts that the rules check, and `setMirror` writes only while they hold (contract: atomicity). */
export const judgedFactsCases: readonly Case<World>[] = [
  ...casesOf<World>([], {
    'find: a campaign as it is now, with the greatest number of an owner, or nothing': async (world) => {
      const { others, campaigns } = world;
      const { seen } = await live.liveCampaign(world);
      const isNow = async (expected: Campaign | undefined) =>
        expectEqual(await campaigns.find(seen.id), expected, 'the campaign that was found');
      const { seen: other } = await live.liveCampaign(world);
      await isNow(seen);
      const found = await campaigns.find(seen.id);
      await others.transfer(seen.id, live.greatest);
      await others.setDefault(seen.id, true);
      await isNow({ ...seen, ownerId: live.greatest, isDefault: true });
      await others.deleteMirror(seen.id);
      await isNow({ ...seen, ownerId: live.greatest, isDefault: true, hasMirror: false });
      await others.deleteCampaign(seen.id);
      await isNow(undefined);
      expectEqual(found, seen, 'the campaign that was found, after it was changed');
      for (const id of [live.greatest as never, live.beyond32Bits(other.id)])
        expectEqual(await campaigns.find(id), undefined, 'what there never was');
      // As a rule, the next one has one of these numbers.
      for (let more = 1; more < 5; more++) await campaigns.find((other.id + more) as never);
      const { seen: next } = await live.liveCampaign(world);
      expectEqual(await campaigns.find(next.id), next, 'what was looked for before it was created');
    },
    'setMirror: nothing is written when the campaign was seen otherwise than it is': async (world) => {
      const { seen, by, mirror } = await live.liveCampaign(world);
      const { by: other } = await live.liveCampaign(world);
      const without = await live.newCampaign(world, seen.ownerId);
      const far = live.beyond32Bits(seen.ownerId);
      const nowhere = live.beyond32Bits(seen.id);
      for (const [caller, asSeen, asItIs] of [
        [by, { ...seen, isDefault: true }, seen],
        [by, { ...seen, hasMirror: false }, seen],
        [other, { ...seen, ownerId: other.ownerId }, seen],
        [await live.newCaller(world, far), { ...seen, ownerId: far }, seen],
        [by, { ...seen, id: nowhere }, undefined],
        [by, without, without],
      ] as const) {
        for (const lastChange of [undefined, -1]) {
          const result = await world.campaigns.setMirror(asSeen, { ...live.change(caller), lastChange });
          expectEqual(result, { kind: 'campaign-differs', campaign: asItIs }, 'the answer');
        }
        expectEqual(await world.others.history(asSeen.id), [], 'the history');
      }
      expectEqual(await world.others.mirror(seen.id), mirror, 'the mirror');
      expectEqual(await world.others.mirror(without.id), undefined, 'the mirror that was never created');
    },
    'setMirror: a caller without a key is proven by its identity, an unknown key never': async (world) => {
      const { seen, by } = await live.liveCampaign(world);
      const key = accessKeyOf(by.subject);
      if (key) await world.keys?.revoke(key);
      await live.mirrorSet(world, seen, live.change({ ...by, subject: live.withoutKey }));
      const [row] = await world.others.history(seen.id);
      expectFields(row, { subject: live.withoutKey, ownerId: seen.ownerId }, 'the history');
      const unknown = live.change({ ...by, subject: keySubject(live.greatest as never) });
      expectEqual(await world.campaigns.setMirror(seen, unknown), { kind: 'caller-invalid' }, 'the answer');
    },
  }),
  ...casesOf<World, 'keys'>(['keys'], {
    'setMirror: nothing is written or returned with a key that is not valid': async (world) => {
      const { others, keys } = world;
      const give = (key: AccessKeyId) => keys.give(key, otherOwner);
      for (const nth of Array(8).keys()) {
        const { seen } = await live.liveCampaign(world);
        const by = await live.newCaller(world, seen.ownerId, nth < 4 ? 'never' : undefined);
        const key = accessKeyOf(by.subject) as AccessKeyId;
        const mirror = await live.mirrorSet(world, seen, live.change(by));
        const rows = await others.history(seen.id);
        const refused = async (subject: Subject) => {
          const lastChange = nth < 4 ? -1 : undefined;
          const to = { ...live.change({ ...by, subject }, live.before), lastChange };
          expectEqual(await world.campaigns.setMirror(seen, to), { kind: 'caller-invalid' }, 'the answer');
        };
        await refused(keySubject(live.beyond32Bits(key)));
        await [keys.revoke, keys.expire, keys.delete, give][nth % 4]?.(key);
        for (const owner of [seen.ownerId, otherOwner]) {
          await others.transfer(seen.id, owner);
          await refused(by.subject);
        }
        expectEqual(await others.mirror(seen.id), mirror, 'the mirror');
        expectEqual(await others.history(seen.id), rows, 'the history');
      }
    },
  }),
  ...meanwhileCases<World>([], 'find: as a committed transfer left the campaign', async (world) => {
    const { seen } = await live.liveCampaign(world);
    return async (meanwhile) => {
      const to = live.newOwner();
      const transferred = async () => {
        await world.others.transfer(seen.id, to);
        const found = await world.campaigns.find(seen.id);
        expectThat(found?.ownerId === to, 'a campaign was found as before a committed transfer');
      };
      await meanwhile(() => world.campaigns.find(seen.id), transferred);
    };
  }),
  ...changes(
    'the old owner wrote after a committed transfer',
    (others, { id }) => others.transfer(id, otherOwner),
    (seen) => ({ ...seen, ownerId: otherOwner }),
  ),
  ...changes(
    'the mirror of the default campaign was set after the flag was committed',
    (others, { id }) => others.setDefault(id, true),
    (seen) => ({ ...seen, isDefault: true }),
  ),
  ...changes(
    'a mirror was written after its deletion was committed',
    (others, { id }) => others.deleteMirror(id),
    (seen) => ({ ...seen, hasMirror: false }),
  ),
  ...changes(
    'the mirror of a campaign was written after the deletion of the campaign was committed',
    (others, { id }) => others.deleteCampaign(id),
    () => undefined,
  ),
  ...meanwhileCases<World, 'keys'>(
    ['keys'],
    'a key that is revoked sets nothing more',
    async (world) => {
      const { seen } = await live.liveCampaign(world);
      return async (meanwhile, nth) => {
        const by = await live.newCaller(world, seen.ownerId);
        // `updatedAt` increases strictly, whatever the clock says: any later write has a greater one than this.
        const mark = `${2100 + nth}-01-01T00:00:00.000000Z` as Timestamp;
        const revoked = async () => {
          await world.keys.revoke(accessKeyOf(by.subject) as AccessKeyId);
          await world.others.setUpdatedAt(seen.id, mark);
        };
        const result = await meanwhile(() => world.campaigns.setMirror(seen, live.change(by)), revoked);
        const isLater = result.kind === 'mirror-set' && result.mirror.updatedAt > mark;
        expectThat(!isLater, 'a key set a mirror after its revocation was committed');
      };
    },
    // Even a single statement proves the key a moment before it locks the mirror, so chance can look like a fault.
    3,
  ),
];

/** Each write is recorded before the change, or is refused with the campaign as it is after the change. */
function changes(
  fault: string,
  change: (others: live.Others, seen: Campaign) => Promise<unknown>,
  asItIs: (seen: Campaign) => Campaign | undefined,
): readonly Case<World>[] {
  return meanwhileCases([], `never: ${fault}`, async (world) => async (meanwhile, _, calls) => {
    const { seen, by } = await live.liveCampaign(world);
    let changesAtCommit: unknown;
    const changed = async () => {
      await change(world.others, seen);
      changesAtCommit = (await live.stored(world, seen.id)).changes;
    };
    const updates = Array.from({ length: calls }, (_, nth) => live.change(by, live.numbered(nth)));
    const call = () => Promise.all(updates.map((update) => world.campaigns.setMirror(seen, update)));
    const results = await meanwhile(call, changed);
    const { changes, address } = await live.stored(world, seen.id);
    const cameBack = address !== undefined && !asItIs(seen)?.hasMirror;
    expectThat(changes === changesAtCommit && !cameBack, fault);
    live.expectReported(results, changes);
    const differs = { kind: 'campaign-differs', campaign: asItIs(seen) };
    for (const result of results) {
      if (result.kind !== 'mirror-set') expectEqual(result, differs, 'the answer');
    }
  });
}
