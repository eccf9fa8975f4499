import { type Case, casesOf, expectEqual, expectFields, expectThat } from '../kit/case.ts';
import { breaking, meanwhileCases } from '../kit/meanwhile.ts';
import * as live from './campaign-repository-world.ts';
import { judgedFactsCases } from './judged-facts-cases.ts';
import { setMirrorCases } from './set-mirror-cases.ts';

type World = live.CampaignRepositoryWorld;

/** What every `CampaignRepository` promises. Its store can contain other campaigns; the campaigns of the cases remain. */
export const campaignRepositoryCases: readonly Case<World>[] = [
  ...judgedFactsCases,
  ...setMirrorCases,
  ...meanwhileCases<World>(
    [],
    'no click is lost, and a time is taken when nobody else can write',
    async (world) => {
      const { others } = world;
      const { seen, by } = await live.liveCampaign(world);
      let clicks = 0;
      return async (meanwhile) => {
        let since = '';
        const clicked = async () => {
          since = (await others.clock?.()) ?? new Date().toISOString();
          await others.countClick(seen.id);
          clicks += 1;
        };
        const set = await meanwhile(() => live.mirrorSet(world, seen, live.change(by)), clicked);
        const counted = (await others.mirror(seen.id))?.clicks ?? 0;
        expectThat(counted >= clicks, 'a click was lost');
        // An answer that counts the click was written after it. A clock may have milliseconds only.
        const isEarly =
          set.clicks === clicks && set.updatedAt.slice(0, since.length - 1) < since.slice(0, -1);
        expectThat(!isEarly, 'the time of a write was taken before its lock: others wrote after it');
      };
    },
  ),
  ...meanwhileCases<World>([], 'others see the mirror and its history change as one', async (world) => {
    const { seen, by } = await live.liveCampaign(world);
    return async (meanwhile, nth) => {
      const watched = async () => {
        for (let look = 0; look < 5; look++) await live.stored(world, seen.id);
      };
      await meanwhile(() => live.mirrorSet(world, seen, live.change(by, live.numbered(nth))), watched);
    };
  }),
  ...meanwhileCases<World>([], 'a mirror that is deleted and created again is another one', async (world) => {
    const { others, campaigns } = world;
    const { seen, by } = await live.liveCampaign(world);
    return async (meanwhile, nth) => {
      const to = live.numbered(nth);
      const created = async () => {
        await others.deleteMirror(seen.id);
        await others.createMirror(seen.id, live.before);
      };
      const result = await meanwhile(() => campaigns.setMirror(seen, live.change(by, to)), created);
      const mirror = await others.mirror(seen.id);
      const rows = (await others.history(seen.id)).filter((row) => row.addressAfter === to);
      live.expectReported([result], rows.length);
      const id = result.kind === 'mirror-set' ? result.mirror.id : undefined;
      expectThat(rows[0]?.mirrorId === id, 'the history names another mirror than the answer');
      const isRight = (mirror?.targetUrl === to) === (mirror?.id === id);
      expectThat(isRight, 'another mirror was set than the answer names');
    };
  }),
  ...casesOf<World>([], {
    'meanwhile: 20 updates of a campaign succeed, each after another one': async (world) => {
      const { seen, by } = await live.liveCampaign(world);
      const all = Array.from({ length: 20 }, (_, nth) => live.numbered(nth));
      const changes = all.map((to) => live.change(by, to, `to-${to}`));
      const set = await Promise.all(changes.map((to) => live.mirrorSet(world, seen, to)));
      const rows = await world.others.history(seen.id);
      const afters = rows.map((row) => row.addressAfter);
      expectEqual(afters.toSorted(), all.toSorted(), 'an update was lost: the history');
      const befores = rows.map((row) => row.addressBefore);
      const chain = [live.before, ...afters.slice(0, -1)];
      expectEqual(befores, chain, 'the address before was read ahead of the lock: the history');
      const isRising = rows.every(({ id }, nth) => id > (rows[nth - 1]?.id ?? 0));
      expectThat(isRising, 'the numbers of the history do not rise');
      const times = rows.map((row) => row.changedAt);
      expectEqual(times, [...new Set(times)].toSorted(), 'the times of two updates do not rise: the history');
      for (const [nth, to] of all.entries()) {
        const row = rows[afters.indexOf(to)];
        expectEqual(row?.requestId, `to-${to}`, 'the request of one of many');
        const answer = { targetUrl: to, updatedAt: row?.changedAt };
        expectFields(set[nth], answer, 'the answer to one of many');
      }
      const last = { targetUrl: afters.at(-1), updatedAt: times.at(-1), updatedExternallyAt: times.at(-1) };
      expectFields(await world.others.mirror(seen.id), last, 'an update was lost: the mirror');
    },
    'meanwhile: calls for many campaigns are each for their own, and change no other': async (world) => {
      const lives = await Promise.all(Array.from({ length: 10 }, () => live.liveCampaign(world)));
      const sister = await live.newCampaign(world, lives[0]?.seen.ownerId);
      const kept = await live.newMirror(world, sister.id);
      const changes = lives.map(({ by }, nth) => live.change(by, live.numbered(nth)));
      const calls = changes.map((to, nth) => live.mirrorSet(world, lives[nth]?.seen as never, to));
      const seen = lives.map((one) => one.seen);
      const read = await Promise.all(seen.map(({ id }) => world.campaigns.find(id)));
      expectEqual(read, seen, 'one of many campaigns that were looked for');
      for (const [nth, set] of (await Promise.all(calls)).entries()) {
        const own = { campaignId: seen[nth]?.id, targetUrl: live.numbered(nth) };
        expectFields(set, own, 'the answer to one of many');
        expectFields(await world.others.mirror(set.campaignId), own, 'the mirror of one of many');
      }
      expectEqual(await world.others.mirror(sister.id), kept, 'the mirror of another campaign');
    },
  }),
  ...casesOf<World, 'steps'>(['steps'], {
    'away: Unavailable, and mirror and history both changed or neither': async (world) => {
      const { campaigns, others, steps } = world;
      const { seen, by } = await live.liveCampaign(world);
      const set = (nth: number) => campaigns.setMirror(seen, live.change(by, live.numbered(nth)));
      await breaking(steps, set, async (outcome, nth) => {
        await live.stored(world, seen.id);
        // What an earlier call did not know of may be written only now: it has another address.
        const rows = (await others.history(seen.id)).filter((row) => row.addressAfter === live.numbered(nth));
        expectThat(rows.length < 2, 'a change was written twice');
        if (outcome !== 'unavailable') live.expectReported([outcome.answer], rows.length);
      });
      const find = () => campaigns.find(seen.id);
      await breaking(steps, find, async (outcome) => {
        if (outcome !== 'unavailable') expectEqual(outcome.answer, seen, 'the campaign, while away');
      });
    },
  }),
];
