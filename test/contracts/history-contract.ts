import { expect } from 'chai';
import {
  address,
  after,
  before,
  type Check,
  change,
  liveCampaign,
  mirrorSet,
} from '../support/store/world.ts';

const racers = 20;

/** contract: history. */
export const historyChecks: readonly Check[] = [
  {
    name: 'history: an update is recorded, in every column',
    check: async (world) => {
      const { seen, by, mirror } = await liveCampaign(world);
      const requestId = '!~0123456789'.padEnd(128, 'x');
      const set = await mirrorSet(world, seen, change(by, after, requestId));
      const rows = await world.others.history(seen.id);
      expect(rows).to.deep.equal([
        {
          id: rows[0]?.id,
          mirrorId: mirror.id,
          campaignId: seen.id,
          subject: by.subject,
          ownerId: seen.ownerId,
          addressBefore: before,
          addressAfter: after,
          changedAt: set.updatedAt,
          requestId,
        },
      ]);
    },
  },
  {
    name: `history: ${racers} racing updates all succeed and make one unbroken chain, whose last stands`,
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      const all = Array.from({ length: racers }, (_, at) => address(`https://example.com/racer/${at}`));
      const set = await world.others.atOnce(
        seen.id,
        all.map((to) => () => mirrorSet(world, seen, change(by, to, `to ${to}`))),
      );
      expect(set.map((mirror) => mirror?.targetUrl)).to.deep.equal(all);

      const rows = await world.others.history(seen.id);
      const times = rows.map((row) => row.changedAt);
      expect(times).to.deep.equal([...new Set(times)].toSorted());
      expect(rows).to.have.length(racers);
      expect(rows.map((row) => row.addressAfter)).to.have.members(all);
      expect(rows.map((row) => row.addressBefore)).to.deep.equal([
        before,
        ...rows.slice(0, -1).map((row) => row.addressAfter),
      ]);
      for (const row of rows) {
        const answer = set.find((mirror) => mirror?.targetUrl === row.addressAfter);
        expect(answer?.updatedAt).to.equal(row.changedAt);
        expect(row.requestId).to.equal(`to ${row.addressAfter}`);
      }
      const last = rows.at(-1);
      expect(await world.others.mirror(seen.id)).to.include({
        targetUrl: last?.addressAfter,
        updatedAt: last?.changedAt,
        updatedExternallyAt: last?.changedAt,
      });
    },
  },
  {
    name: 'history: it outlives the mirror, the campaign and the key',
    check: async (world) => {
      const { seen, by, keyId, mirror } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      const rows = await world.others.history(seen.id);
      expect(rows).to.have.length(1);
      await world.others.deleteMirror(seen.id);
      await world.others.deleteCampaign(seen.id);
      await world.others.deleteKey(keyId);
      expect(await world.others.history(seen.id)).to.deep.equal(rows);
      expect(rows[0]?.mirrorId).to.equal(mirror.id);
    },
  },
  {
    name: 'history: what was recorded stays as it was when the campaign changes hands',
    check: async (world) => {
      const { seen, by } = await liveCampaign(world);
      await mirrorSet(world, seen, change(by));
      const { by: next } = await liveCampaign(world);
      const to = next.ownerId;
      await world.others.transfer(seen.id, to);
      await mirrorSet(world, { ...seen, ownerId: to }, change(next));
      const owners = (await world.others.history(seen.id)).map((row) => row.ownerId);
      expect(owners).to.deep.equal([seen.ownerId, to]);
    },
  },
];
