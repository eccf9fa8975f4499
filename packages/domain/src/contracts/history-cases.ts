import { accessKeyOf } from '../values/subject.ts';
import type { CampaignRepositoryWorld } from './campaign-repository-world.ts';
import type { Case } from './case.ts';
import { expectEqual, expectFields } from './expectations.ts';
import { address, after, before, change, liveCampaign, mirrorSet } from './live-campaign.ts';

const racers = 20;

/** contract: history. */
export const historyCases: readonly Case<CampaignRepositoryWorld>[] = [
  {
    name: 'history: an update is recorded, in every column',
    run: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      const requestId = '!~0123456789'.padEnd(128, 'x');
      const set = await mirrorSet(world, seen, change(by, after, requestId));
      const rows = await world.others.history(seen.id);
      const expected = {
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
      expectEqual(rows, [expected]);
    },
  },
  {
    name: `history: ${racers} racing updates all succeed and make one unbroken chain, whose last is stored`,
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const all = Array.from({ length: racers }, (_, at) => address(`https://example.com/racer/${at}`));
      const calls = all.map((to) => () => mirrorSet(world, seen, change(by, to, `to ${to}`)));
      const { atOnce } = world.others;
      const set = await (atOnce?.(seen.id, calls) ?? Promise.all(calls.map((call) => call())));
      expectEqual(
        set.map((mirror) => mirror.targetUrl),
        all,
      );

      const rows = await world.others.history(seen.id);
      const [times, afters] = [rows.map((row) => row.changedAt), rows.map((row) => row.addressAfter)];
      expectEqual(times, [...new Set(times)].toSorted(), 'the times');
      expectEqual(afters.toSorted(), all.toSorted(), 'the addresses');
      const befores = rows.map((row) => row.addressBefore);
      expectEqual(befores, [before, ...afters.slice(0, -1)], 'the addresses before');
      for (const row of rows) {
        const answer = set.find((mirror) => mirror.targetUrl === row.addressAfter);
        expectEqual(answer?.updatedAt, row.changedAt);
        expectEqual(row.requestId, `to ${row.addressAfter}`);
      }
      const last = rows.at(-1);
      expectFields(await world.others.mirror(seen.id), {
        targetUrl: last?.addressAfter,
        updatedAt: last?.changedAt,
        updatedExternallyAt: last?.changedAt,
      });
    },
  },
  {
    name: 'history: it is kept after the mirror, the campaign and the key are deleted',
    run: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      const rows = await world.others.history(seen.id);
      expectEqual(
        rows.map((row) => row.mirrorId),
        [mirror.id],
      );
      await world.others.deleteMirror(seen.id);
      await world.others.deleteCampaign(seen.id);
      const key = accessKeyOf(by.subject);
      if (key) await world.keys?.delete(key);
      expectEqual(await world.others.history(seen.id), rows);
    },
  },
  {
    name: 'history: what was recorded stays as it was when the campaign is transferred',
    run: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      const { by: next } = await liveCampaign(world);
      const to = next.ownerId;
      await world.others.transfer(seen.id, to);
      await mirrorSet(world, { ...seen, ownerId: to }, change(next));
      const owners = (await world.others.history(seen.id)).map((row) => row.ownerId);
      expectEqual(owners, [seen.ownerId, to]);
    },
  },
];
