import type { Condition, ConditionFailed, Mirror } from '@campaign-mirror/domain';
import { accessKeyOf, type Timestamp, timestamp } from '@campaign-mirror/domain';
import { casesOf } from '../kit/case.ts';
import { expectEqual, expectFields, expectThat } from '../kit/expectations.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import {
  address,
  after,
  before,
  beyond32Bits,
  change,
  liveCampaign,
  mirrorSet,
  newOwner,
  numbered,
} from './live-campaign.ts';

/**
 * The address that the mirror has, and addresses that a store could change, since it takes them for a placeholder or an
 * escape, normalizes or parses them.
 */
const addresses = [
  before,
  'https://example.com',
  'https://example.com/',
  'HTTP://Example.COM:80/%7Euser/%7euser/../a//b?',
  'https://t.example/{click_id}?s=[sub]|x&a=$1&b=?&c=:d&e=%s&f={0}&g=??',
  'https://example.com/?q=%27%22\'"`;--',
  'https://b\u00fccher.example/stra\u00dfe?caf\u00e9=cafe\u0301#\u65e5\u672c\u8a9e\u{1f389}',
  `https://example.com/${'\u{1f389}'.repeat(2028)}`,
];

/** What an update writes and records (contract: history). */
export const setMirrorCases = casesOf<CampaignRepositoryWorld>([], {
  'setMirror: the answer is what is stored and recorded, in every field': async (world) => {
    const { seen, by, mirror } = await liveCampaign(world);
    await world.others.countClick(seen.id);
    const requestId = `!~0'"\`;--$1?%s{0}\\`.padEnd(128, 'xX');
    const set = await mirrorSet(world, seen, change(by, after, requestId));
    const stored = {
      id: mirror.id,
      campaignId: seen.id,
      targetUrl: after,
      clicks: 1,
      updatedExternally: true,
      updatedExternallyAt: set.updatedAt,
      createdAt: mirror.createdAt,
      updatedAt: set.updatedAt,
    };
    expectEqual(set, stored, 'the answer');
    expectEqual(await world.others.mirror(seen.id), stored, 'the stored mirror');
    const rows = await world.others.history(seen.id);
    const row = {
      id: rows[0]?.id,
      mirrorId: mirror.id,
      campaignId: seen.id,
      subject: by.subject,
      ownerId: seen.ownerId,
      addressBefore: before,
      addressAfter: after,
      changedAt: set.updatedAt,
      requestId,
    };
    expectEqual(rows, [row], 'the history');
  },
  'setMirror: each address is an update, and is kept byte for byte': async (world) => {
    const { seen, by } = await liveCampaign(world);
    for (const text of addresses) {
      expectEqual((await mirrorSet(world, seen, change(by, address(text)))).targetUrl, text, 'the address');
      expectEqual((await world.others.mirror(seen.id))?.targetUrl, text, 'the stored address');
    }
    const rows = await world.others.history(seen.id);
    const afters = rows.map((row) => row.addressAfter);
    expectEqual(afters, addresses, 'the recorded addresses');
    const befores = rows.map((row) => row.addressBefore);
    expectEqual(befores, [before, ...addresses.slice(0, -1)], 'the recorded addresses before');
  },
  "setMirror: its time is that of the write, by the store's clock, to the microsecond": async (world) => {
    const clock = world.others.clock ?? (async () => new Date().toISOString());
    const { seen, by } = await liveCampaign(world);
    const earliest = await clock();
    const { updatedAt, createdAt } = await mirrorSet(world, seen, change(by));
    const latest = await clock();
    for (const time of [updatedAt, createdAt]) expectEqual(timestamp(time), time, 'the form of a time');
    // Only milliseconds are compared: within one, a store whose clock has no microseconds adds them.
    const isBetween = earliest.slice(0, 23) <= updatedAt.slice(0, 23) && updatedAt.slice(0, 23) <= latest;
    expectThat(isBetween, `the time of a write, ${updatedAt}, is not between ${earliest} and ${latest}`);
  },
  'setMirror: updated_at strictly rises, also while the clock is behind it': async (world) => {
    const { seen, by, mirror } = await liveCampaign(world);
    await world.others.setUpdatedAt(seen.id, '2199-12-31T23:59:59.999998Z' as Timestamp);
    const times: unknown[] = [];
    for (let time = 0; time < 3; time++) {
      const set = await mirrorSet(world, seen, change(by));
      times.push(set.updatedAt);
      expectEqual(set.createdAt, mirror.createdAt, 'the time of creation after an update');
    }
    const next = ['2200-01-01T00:00:00.000000Z', '2200-01-01T00:00:00.000001Z'];
    expectEqual(times, ['2199-12-31T23:59:59.999999Z', ...next], 'the times of three updates');
  },
  'setMirror: a condition on the last change, 0 before the first one, is judged after all else': async (
    world,
  ) => {
    const { seen, by, mirror } = await liveCampaign(world);
    const ask = (condition: Condition, to = after, at = seen) =>
      world.campaigns.setMirror(at, { ...change(by, to), condition });
    const expectFailed = async (condition: Condition, is: Mirror, lastChange: number) => {
      const failed = { kind: 'condition-failed', mirror: is, lastChange };
      expectEqual(await ask(condition), failed, 'the answer to a condition that does not hold');
      expectEqual(await world.others.mirror(seen.id), is, 'the mirror after a condition that does not hold');
    };
    for (const condition of [{ oneOf: [] }, { oneOf: [1, 2 ** 53 - 1] }, { noneOf: [7, 0] }])
      await expectFailed(condition, mirror, 0);
    const foreign = await ask({ oneOf: [] }, after, { ...seen, ownerId: newOwner() });
    expectThat(
      foreign.kind !== 'condition-failed',
      'a condition was judged for a caller who may not set the mirror',
    );

    const first = await ask({ oneOf: [0] });
    const second = await ask({ oneOf: [5, first.kind === 'mirror-set' ? first.lastChange : -1, 6] }, before);
    const third = await ask({ noneOf: [0, 2 ** 53 - 1] });
    const rows = await world.others.history(seen.id);
    const reported = [first, second, third].map((one) =>
      one.kind === 'mirror-set' ? one.lastChange : one.kind,
    );
    expectEqual(
      reported,
      rows.map(({ id }) => id),
      'the numbers of the changes',
    );
    const latest = third as Extract<typeof third, { kind: 'mirror-set' }>;
    const { lastChange } = latest;
    const others = { oneOf: [0, Number(rows[0]?.id), beyond32Bits(lastChange)] };
    const many = { oneOf: Array.from({ length: 3_000 }, (_, nth) => beyond32Bits(nth)) };
    for (const condition of [others, many, { noneOf: [lastChange] }, { oneOf: [] }])
      await expectFailed(condition, latest.mirror, lastChange);
    expectThat(
      (await world.others.history(seen.id)).length === 3,
      'a condition that does not hold: the history',
    );
  },
  'setMirror: a mirror that was deleted and created again is not taken for the old one, nor for one that never changed':
    async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      await world.others.deleteMirror(seen.id);
      await world.others.createMirror(seen.id, before);
      const never = { ...change(by), condition: { oneOf: [0] } };
      const { kind } = await world.campaigns.setMirror(seen, never);
      expectThat(
        kind === 'condition-failed',
        'the last change was forgotten with the mirror that was deleted',
      );
      await mirrorSet(world, seen, change(by));
      const last = (await world.others.history(seen.id)).at(-1);
      expectFields(last, { addressBefore: before }, 'the history of a mirror that was created again');
    },
  'setMirror: of many with the same condition one is set, and the others get the mirror that it set': async (
    world,
  ) => {
    const { seen, by } = await liveCampaign(world);
    const condition = { oneOf: [0] };
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, nth) =>
        world.campaigns.setMirror(seen, { ...change(by, numbered(nth)), condition }),
      ),
    );
    const set = all.filter((one) => one.kind === 'mirror-set');
    expectThat(set.length === 1, `a condition held for more than one of 10, or for none: ${set.length}`);
    const [winner] = set;
    for (const one of all) {
      if (one.kind === 'mirror-set') continue;
      expectThat(
        one.kind === 'condition-failed',
        `the answer to a condition that does not hold: ${one.kind}`,
      );
      const { mirror, lastChange } = one as ConditionFailed;
      const isThat = lastChange === winner?.lastChange && mirror.targetUrl === winner.mirror.targetUrl;
      expectThat(isThat, 'the mirror of a refusal is not that of its last change');
    }
  },
  'history: it stays when the campaign is transferred, and when all else is deleted': async (world) => {
    const { seen, by } = await liveCampaign(world);
    await mirrorSet(world, seen, change(by));
    const { by: next } = await liveCampaign(world);
    await world.others.transfer(seen.id, next.ownerId);
    await mirrorSet(world, { ...seen, ownerId: next.ownerId }, change(next));
    const rows = await world.others.history(seen.id);
    const owners = rows.map((row) => row.ownerId);
    expectEqual(owners, [seen.ownerId, next.ownerId], 'the recorded owners');
    await world.others.deleteMirror(seen.id);
    await world.others.deleteCampaign(seen.id);
    const key = accessKeyOf(by.subject);
    if (key) await world.keys?.delete(key);
    expectEqual(await world.others.history(seen.id), rows, 'the history of what was deleted');
  },
});
