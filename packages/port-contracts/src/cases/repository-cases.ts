import type { Campaign, Timestamp } from '@campaign-mirror/domain';
import { mirrorAddress } from '@campaign-mirror/domain';
import { type Case, casesOf, expectEqual, expectThat, expiry } from '../kit/case.ts';
import { aheadOfEachStep, breaking, meanwhile } from '../kit/meanwhile.ts';
import * as live from './repository-world.ts';

type World = live.CampaignRepositoryWorld;

/** Addresses that a store could change: with placeholders and escapes, or not in a normal form. */
const addresses = [
  'https://example.com',
  'HTTP://Example.COM:80/%7Euser/%7euser/../a//b?',
  'https://t.example/{click_id}?s=[sub]|x&a=$1&b=?&c=:d&e=%s&f={0}&g=??',
  'https://example.com/?q=%27%22\'"`;--',
  'https://b\u00fccher.example/stra\u00dfe?caf\u00e9=cafe\u0301#\u65e5\u672c\u8a9e\u{1f389}',
  `https://example.com/${'\u{1f389}'.repeat(2028)}`,
].map((text) => mirrorAddress.of(text));

const otherOwner = live.newOwner();

/** What others do during a write, and the state afterwards. */
interface Act {
  readonly act: (world: World, seen: Campaign) => Promise<unknown>;
  /** The campaign afterwards, if the act changes it. Then no write may follow. */
  readonly is?: (seen: Campaign) => Campaign | undefined;
  /** The clicks afterwards. The mirror had one click. */
  readonly clicks?: number;
}

/** By the fault of an adapter that misses the act. */
const acts: Readonly<Record<string, Act>> = {
  'the old owner wrote after a committed transfer': {
    act: ({ others }, { id }) => others.transfer(id, otherOwner),
    is: (seen) => ({ ...seen, ownerId: otherOwner }),
  },
  'the default campaign was set after its flag was committed': {
    act: ({ others }, { id }) => others.setDefault(id, true),
    is: (seen) => ({ ...seen, isDefault: true }),
  },
  'a mirror was written after its deletion was committed': {
    act: ({ others }, { id }) => others.deleteMirror(id),
    is: (seen) => ({ ...seen, hasMirror: false }),
  },
  'a mirror was written after the deletion of its campaign was committed': {
    act: ({ others }, { id }) => others.deleteCampaign(id),
    is: () => undefined,
  },
  'a click was lost': { act: ({ others }, { id }) => others.countClick(id), clicks: 2 },
  'a mirror that was deleted came back': { act: live.createAgain, clicks: 0 },
  'a mirror was changed without its history, or the other way round': {
    act: async (world, { id }) => {
      for (let time = 0; time < 5; time++) await live.chainOf(world, id);
    },
    clicks: 1,
  },
};

const duringWrites = Object.fromEntries(
  Object.entries(acts).map(([fault, act]) => [
    `never: ${fault}`,
    (world: World) => checkWrites(world, fault, act),
  ]),
);

function checkWrites(world: World, fault: string, { act, is, clicks }: Act): Promise<void> {
  return meanwhile(world, async (during, calls) => {
    const { seen, caller } = await live.liveCampaign(world);
    let written: number | undefined;
    const acted = async () => {
      await act(world, seen);
      if (!is) return;
      expectEqual(await world.campaigns.find(seen.id), is(seen), 'the campaign that was found');
      written = (await world.others.history(seen.id)).length;
    };
    const changes = Array.from({ length: calls }, (_, nth) => live.change(caller, live.numbered(nth)));
    const write = () => Promise.all(changes.map((to) => world.campaigns.setMirror(seen, to)));
    const results = await during(write, acted);
    for (const [nth, to] of changes.entries())
      await live.expectRecorded(world, seen, to, results[nth] as never);
    const rows = await live.chainOf(world, seen.id, clicks !== 0);
    const mirror = await world.others.mirror(seen.id);
    expectThat(!is || (rows.length === written && (is(seen)?.hasMirror || !mirror)), fault);
    if (clicks !== undefined) expectEqual(mirror?.clicks, clicks, `${fault}: the clicks`);
    for (const result of results.filter(({ kind }) => kind !== 'mirror-set'))
      expectEqual(result, { kind: 'campaign-differs', campaign: is ? is(seen) : {} }, 'the answer');
  });
}

/** The promises of every `CampaignRepository`. The store may have other campaigns; those of the cases remain. */
export const campaignRepositoryCases: readonly Case<World>[] = [
  ...casesOf<World>([], {
    'find: the facts of one moment, and none from before a committed change': (world) =>
      meanwhile(world, async (during) => {
        const { campaigns, others } = world;
        for (const isTransferFirst of [true, false]) {
          const { seen } = await live.liveCampaign(world);
          const last = { ...seen, ownerId: otherOwner, hasMirror: false };
          const between = { ...last, ...(isTransferFirst ? { hasMirror: true } : { ownerId: seen.ownerId }) };
          const changed = async () => {
            if (isTransferFirst) await others.transfer(seen.id, otherOwner);
            await others.deleteMirror(seen.id);
            if (!isTransferFirst) await others.transfer(seen.id, otherOwner);
            expectEqual(await campaigns.find(seen.id), last, 'a campaign after committed changes');
          };
          const found = await during(() => campaigns.find(seen.id), changed);
          const facts = (one?: Campaign) => `${one?.ownerId} ${one?.hasMirror}`;
          const isOne = [seen, between, last].map(facts).includes(facts(found));
          expectThat(isOne, 'the facts of a campaign were read at two moments');
        }
      }),
    'setMirror: nothing is written if the campaign, the key or the condition does not match': async (
      world,
    ) => {
      const { seen, caller, mirror } = await live.liveCampaign(world);
      const nowhere = live.beyond32Bits(seen.id);
      // The next campaign usually has one of these numbers.
      for (const id of [nowhere, seen.id + 1, seen.id + 2])
        expectEqual(await world.campaigns.find(id as never), undefined, 'a campaign that does not exist');
      const other = await live.liveCampaign(world);
      const found = await world.campaigns.find(other.seen.id);
      expectEqual(found, other.seen, 'a campaign that was looked up before its creation');
      const ownerId = live.beyond32Bits(seen.ownerId);
      const differs = (campaign?: Campaign) => ({ kind: 'campaign-differs', campaign });
      const isKept = async (by: typeof caller, asSeen: Campaign, expected: object, lastChange = -1) => {
        const result = await live.set(world, asSeen, live.change(by, undefined, lastChange));
        expectEqual(result, expected, `the answer to ${JSON.stringify({ asSeen, key: by.key, lastChange })}`);
      };
      await isKept(caller, { ...seen, isDefault: true }, differs(seen));
      await isKept(caller, { ...seen, hasMirror: false }, differs(seen));
      await isKept(other.caller, { ...seen, ownerId: other.seen.ownerId }, differs(seen));
      await isKept(await live.newCaller(world, ownerId), { ...seen, ownerId }, differs(seen));
      await isKept(caller, { ...seen, id: nowhere }, differs());
      const key = live.beyond32Bits(caller.key ?? 1) as never;
      for (const unproven of [key, ...(other.caller.key ? [other.caller.key] : [])])
        for (const asSeen of [seen, { ...seen, isDefault: true }])
          await isKept({ ...caller, key: unproven }, asSeen, { kind: 'caller-invalid' });
      const never = { kind: 'condition-failed', mirror, lastChange: 0 };
      for (const number of [-1, 1, Number.MAX_SAFE_INTEGER]) await isKept(caller, seen, never, number);
      expectEqual(await world.others.mirror(seen.id), mirror, 'the mirror');
    },
    'setMirror: the answer is what is stored, byte for byte, and stays recorded': async (world) => {
      const clicks = Number.MAX_SAFE_INTEGER;
      const { seen, caller, mirror } = await live.liveCampaign(world, clicks - 1);
      await world.others.countClick(seen.id);
      const { id, createdAt } = mirror;
      for (const address of [live.before, ...addresses]) {
        const result = await live.mirrorSet(world, seen, live.change(caller, address));
        expectEqual(result.mirror, { id, clicks, createdAt }, 'the answer');
        const stored = await world.others.mirror(seen.id);
        expectEqual(result.mirror, stored, 'the answer or the stored mirror');
      }
      await world.others.transfer(seen.id, live.greatest);
      const next = live.withoutKey(live.greatest);
      await live.mirrorSet(world, { ...seen, ownerId: live.greatest }, live.change(next));
      const rows = await live.chainOf(world, seen.id);
      expectThat(rows.length === addresses.length + 2, 'an update to the same address was not recorded');
      await world.others.deleteCampaign(seen.id);
      expectEqual(await world.others.history(seen.id), rows, 'the history of what was deleted');
    },
    "setMirror: its time is that of the write, by the store's clock, and strictly rises": async (world) => {
      const clock = async () => (await world.others.clock?.()) ?? new Date().toISOString();
      const { seen, caller } = await live.liveCampaign(world);
      const updatedAt = async () => (await live.mirrorSet(world, seen, live.change(caller))).mirror.updatedAt;
      const times = [await clock(), await updatedAt(), await clock()].map((time) => time.slice(0, 23));
      expectEqual(times, times.toSorted(), 'the time of a write between two readings of the clock');
      await world.others.setUpdatedAt(seen.id, '2199-12-31T23:59:59.999998Z' as Timestamp);
      const rising = [await updatedAt(), await updatedAt()];
      const expected = ['2199-12-31T23:59:59.999999Z', '2200-01-01T00:00:00.000000Z'];
      expectEqual(rising, expected, 'the times of updates while the clock is behind');
    },
    'setMirror: a condition holds only for the number of the last change, 0 if none': async (world) => {
      const { seen, caller } = await live.liveCampaign(world);
      const conditional = (lastChange: number) => live.change(caller, live.numbered(lastChange), lastChange);
      let last = 0;
      for (let nth = 0; nth < 3; nth++) {
        const { mirror, lastChange } = await live.mirrorSet(world, seen, conditional(last));
        for (const stale of [last, lastChange + 1, live.beyond32Bits(lastChange)]) {
          const failed = await live.set(world, seen, conditional(stale));
          const is = { kind: 'condition-failed', mirror, lastChange };
          expectEqual(failed, is, 'the answer to another number');
        }
        last = lastChange;
      }
      await live.createAgain(world, seen);
      const { kind } = await live.set(world, seen, conditional(0));
      expectThat(kind === 'condition-failed', 'a mirror that was created again counts as never changed');
    },
    'setMirror: calls at the same time get their own answers, and none is lost': async (world) => {
      const lives = await Promise.all(Array.from({ length: 5 }, () => live.liveCampaign(world)));
      const calls = lives.map(async ({ seen, caller }, at) => {
        const changes = Array.from({ length: 10 }, (_, nth) =>
          live.change(caller, live.numbered(nth), at === 0 ? 0 : undefined),
        );
        const set = Promise.all(changes.map((to) => world.campaigns.setMirror(seen, to)));
        const [results, found] = await Promise.all([set, world.campaigns.find(seen.id)]);
        return { seen, changes, results, found };
      });
      const [conditional, ...others] = await Promise.all(calls);
      const [winner, ...more] = conditional?.results.filter((one) => one.kind === 'mirror-set') ?? [];
      expectThat(winner && more.length === 0, 'a condition held for more than one of 10, or for none');
      const won = { mirror: winner.mirror, lastChange: winner.lastChange };
      for (const one of conditional?.results ?? [])
        expectEqual(one, won, `the mirror and the last change of ${one.kind}`);
      for (const { seen, changes, results, found } of others) {
        expectEqual(found, seen, 'a campaign that was found at the same time');
        for (const [nth, to] of changes.entries())
          await live.expectRecorded(world, seen, to, results[nth] as never);
        expectThat((await live.chainOf(world, seen.id)).length === 10, 'an update was lost');
      }
    },
    ...duringWrites,
  }),
  ...casesOf<World, 'keys'>(['keys'], {
    'setMirror: nothing is written with a key that was revoked or has expired by itself': async (world) => {
      const { seen, caller: revoked } = await live.liveCampaign(world);
      const expiring = await live.newCaller(world, seen.ownerId, 1);
      if (revoked.key) await world.keys.revoke(revoked.key);
      const refused = async (caller: typeof revoked, fault: string) =>
        expectEqual(await live.set(world, seen, live.change(caller)), { kind: 'caller-invalid' }, fault);
      await refused(revoked, 'the answer to a revoked key');
      await live.set(world, seen, live.change(expiring));
      await expiry();
      await refused(expiring, 'the answer to a key that has expired');
    },
  }),
  ...casesOf<World, 'keys' | 'steps'>(['keys', 'steps'], {
    'never: a key set a mirror after its revocation was committed': (world) =>
      aheadOfEachStep(world.steps, async (during) => {
        const { seen, caller } = await live.liveCampaign(world);
        // The times of a mirror strictly rise, so every later write has a greater time than this mark.
        const mark = '2199-01-01T00:00:00.000000Z' as Timestamp;
        const revoked = async () => {
          if (caller.key) await world.keys.revoke(caller.key);
          await world.others.setUpdatedAt(seen.id, mark);
        };
        const result = await during(() => world.campaigns.setMirror(seen, live.change(caller)), revoked);
        const isLater = result.kind === 'mirror-set' && result.mirror.updatedAt > mark;
        expectThat(!isLater, 'a key set a mirror after its revocation was committed');
      }),
  }),
  ...casesOf<World, 'steps'>(['steps'], {
    'away: Unavailable, and mirror and history both changed or neither, at most once': async (world) => {
      const { seen, caller } = await live.liveCampaign(world);
      let to = live.change(caller);
      const write = () => {
        to = live.change(caller);
        return world.campaigns.setMirror(seen, to);
      };
      await breaking(world.steps, write, async (outcome) => {
        const rows = await live.chainOf(world, seen.id);
        const written = rows.filter(({ requestId }) => requestId === to.requestId).length;
        expectThat(written < 2, 'a change was written twice');
        if (outcome !== 'unavailable') await live.expectRecorded(world, seen, to, outcome.answer);
      });
      const find = () => world.campaigns.find(seen.id);
      await breaking(world.steps, find, async (outcome) => {
        if (outcome !== 'unavailable') expectEqual(outcome.answer, seen, 'the campaign, while away');
      });
    },
  }),
];
