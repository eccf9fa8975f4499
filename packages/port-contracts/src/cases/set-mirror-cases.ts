import type { Mirror } from '@campaign-mirror/domain';
import { accessKeyOf, type Timestamp, timestamp } from '@campaign-mirror/domain';
import { ContractViolation, casesOf, expectEqual, expectFields, expectThat } from '../kit/case.ts';
import * as live from './campaign-repository-world.ts';

/**
 * The address that the mirror has, and addresses that a store could change, since it takes them for a placeholder or an
 * escape, normalizes or parses them.
 */
const addresses = [
  live.before,
  'https://example.com',
  'https://example.com/',
  'HTTP://Example.COM:80/%7Euser/%7euser/../a//b?',
  'https://t.example/{click_id}?s=[sub]|x&a=$1&b=?&c=:d&e=%s&f={0}&g=??',
  'https://example.com/?q=%27%22\'"`;--',
  'https://b\u00fccher.example/stra\u00dfe?caf\u00e9=cafe\u0301#\u65e5\u672c\u8a9e\u{1f389}',
  `https://example.com/${'\u{1f389}'.repeat(2028)}`,
];

/** What an update writes and records (contract: history). */
export const setMirrorCases = casesOf<live.CampaignRepositoryWorld>([], {
  'setMirror: the answer is what is stored and recorded, in every field': async (world) => {
    const { seen, by, mirror } = await live.liveCampaign(world);
    await world.others.countClick(seen.id);
    const requestId = `!~0'"\`;--$1?%s{0}\\`.padEnd(128, 'xX');
    const set = await live.mirrorSet(world, seen, live.change(by, live.after, requestId));
    const stored = {
      id: mirror.id,
      campaignId: seen.id,
      targetUrl: live.after,
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
      addressBefore: live.before,
      addressAfter: live.after,
      changedAt: set.updatedAt,
      requestId,
    };
    expectEqual(rows, [row], 'the history');
    const numbers = [set.id, set.campaignId, rows[0]?.id];
    expectThat(numbers.every(Number.isSafeInteger), `an identifier is no number: ${numbers}`);
  },
  'setMirror: each address is an update, and is kept byte for byte': async (world) => {
    const { seen, by } = await live.liveCampaign(world);
    for (const text of addresses) {
      const { targetUrl } = await live.mirrorSet(world, seen, live.change(by, live.address(text)));
      expectEqual(targetUrl, text, 'the address');
      expectEqual((await world.others.mirror(seen.id))?.targetUrl, text, 'the stored address');
    }
    const rows = await world.others.history(seen.id);
    const afters = rows.map((row) => row.addressAfter);
    expectEqual(afters, addresses, 'the recorded addresses');
    const befores = rows.map((row) => row.addressBefore);
    expectEqual(befores, [live.before, ...addresses.slice(0, -1)], 'the recorded addresses before');
  },
  "setMirror: its time is that of the write, by the store's clock, to the microsecond": async (world) => {
    const clock = world.others.clock ?? (async () => new Date().toISOString());
    const { seen, by } = await live.liveCampaign(world);
    const earliest = await clock();
    const { updatedAt, createdAt } = await live.mirrorSet(world, seen, live.change(by));
    const latest = await clock();
    for (const time of [updatedAt, createdAt]) expectEqual(timestamp(time), time, 'the form of a time');
    // Only milliseconds are compared: within one, a store whose clock has no microseconds adds them.
    const isBetween = earliest.slice(0, 23) <= updatedAt.slice(0, 23) && updatedAt.slice(0, 23) <= latest;
    expectThat(isBetween, `the time of a write, ${updatedAt}, is not between ${earliest} and ${latest}`);
  },
  'setMirror: updated_at strictly rises, also while the clock is behind it': async (world) => {
    const { seen, by, mirror } = await live.liveCampaign(world);
    await world.others.setUpdatedAt(seen.id, '2199-12-31T23:59:59.999998Z' as Timestamp);
    const times: unknown[] = [];
    for (let time = 0; time < 3; time++) {
      const set = await live.mirrorSet(world, seen, live.change(by));
      times.push(set.updatedAt);
      expectEqual(set.createdAt, mirror.createdAt, 'the time of creation after an update');
    }
    const next = ['2200-01-01T00:00:00.000000Z', '2200-01-01T00:00:00.000001Z'];
    expectEqual(times, ['2199-12-31T23:59:59.999999Z', ...next], 'the times of three updates');
  },
  'setMirror: a condition on the last change, 0 before the first, is judged last': async (world) => {
    const { seen, by, mirror } = await live.liveCampaign(world);
    const ask = (expected: number) =>
      world.campaigns.setMirror(seen, { ...live.change(by), lastChange: expected });
    const expectFailed = async (expected: number, is: Mirror, lastChange: number) => {
      const failed = { kind: 'condition-failed', mirror: is, lastChange };
      expectEqual(await ask(expected), failed, 'the answer to a condition that does not hold');
      expectEqual(await world.others.mirror(seen.id), is, 'the mirror after a condition that does not hold');
    };
    for (const expected of [-1, 1, 2 ** 53 - 1]) await expectFailed(expected, mirror, 0);

    const set = async (expected: number) => {
      const result = await ask(expected);
      if (result.kind !== 'mirror-set') throw new ContractViolation(`a condition that holds: ${result.kind}`);
      return result;
    };
    const first = await set(0);
    const second = await set(first.lastChange);
    const { mirror: latest, lastChange } = await set(second.lastChange);
    const numbers = (await world.others.history(seen.id)).map(({ id }) => id);
    expectEqual(numbers, [first.lastChange, second.lastChange, lastChange], 'the numbers of the changes');
    const others = [-1, 0, first.lastChange, second.lastChange, lastChange + 1, 2 ** 53 - 1];
    for (const expected of [...others, live.beyond32Bits(lastChange)])
      await expectFailed(expected, latest, lastChange);
    const rows = await world.others.history(seen.id);
    expectEqual(rows.length, 3, 'a condition that does not hold: the history');
  },
  'setMirror: a mirror that comes back is neither the old one nor one that never changed': async (world) => {
    const { seen, by } = await live.liveCampaign(world);
    await live.mirrorSet(world, seen, live.change(by));
    await world.others.deleteMirror(seen.id);
    await world.others.createMirror(seen.id, live.before);
    const never = { ...live.change(by), lastChange: 0 };
    const { kind } = await world.campaigns.setMirror(seen, never);
    expectThat(kind === 'condition-failed', 'the last change was forgotten with the mirror that was deleted');
    await live.mirrorSet(world, seen, live.change(by));
    const last = (await world.others.history(seen.id)).at(-1);
    expectFields(last, { addressBefore: live.before }, 'the history of a mirror that was created again');
  },
  'setMirror: of many with one condition one is set, the others get what it set': async (world) => {
    const { seen, by } = await live.liveCampaign(world);
    const calls = Array.from({ length: 10 }, (_, nth) => live.change(by, live.numbered(nth)));
    const all = await Promise.all(
      calls.map((to) => world.campaigns.setMirror(seen, { ...to, lastChange: 0 })),
    );
    const [winner, ...others] = all.filter((one) => one.kind === 'mirror-set');
    expectThat(winner && others.length === 0, 'a condition held for more than one of 10, or for none');
    for (const one of all) {
      if (one === winner) continue;
      expectThat(one.kind === 'condition-failed', `a condition that does not hold: ${one.kind}`);
      const isThat = one.lastChange === winner.lastChange && one.mirror.targetUrl === winner.mirror.targetUrl;
      expectThat(isThat, 'the mirror of a refusal is not that of its last change');
    }
  },
  'history: it stays when the campaign is transferred, and when all else is deleted': async (world) => {
    const { seen, by } = await live.liveCampaign(world);
    await live.mirrorSet(world, seen, live.change(by));
    const next = await live.newCaller(world, live.greatest);
    await world.others.transfer(seen.id, next.ownerId);
    await live.mirrorSet(world, { ...seen, ownerId: next.ownerId }, live.change(next));
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
