import type { Case } from '../contracts/case.ts';
import { expectEqual, expectFields } from '../contracts/expectations.ts';
import { address, newOwner } from '../contracts/live-campaign.ts';
import type { MirrorMoveOutcome } from '../move-mirrors/mirror-moves.ts';
import type { CampaignId } from '../values/identifiers.ts';
import type { Timestamp } from '../values/timestamp.ts';
import { move, next, old, oldMirror, terms } from './found-mirrors-cases.ts';
import { nowhere } from './live-store.ts';
import type { StoreWorld } from './store-world.ts';

/** Mirrors that are moved. */
export const mirrorMovesCases: readonly Case<StoreWorld>[] = [
  {
    name: 'setMany: each is set at a later time, its clicks kept, and recorded as an act of the operator',
    run: async (world) => {
      const owner = newOwner();
      const ids = [await oldMirror(world, owner), await oldMirror(world, owner)];
      for (const id of ids) {
        await world.others.countClick(id);
        await world.others.setUpdatedAt(id, '2199-01-01T00:00:00.000001Z' as Timestamp);
      }
      const was = await Promise.all(ids.map((id) => world.others.mirror(id)));
      expectEqual(await world.mirrorMoves.setMany(ids.map(move), terms), ['moved', 'moved']);
      const changedAt = '2199-01-01T00:00:00.000002Z';
      for (const [at, id] of ids.entries()) {
        const times = { updatedExternallyAt: changedAt, updatedAt: changedAt };
        const is = { ...was[at], ...times, targetUrl: next, updatedExternally: true };
        expectEqual(await world.others.mirror(id), is);
        const [row, ...more] = await world.others.history(id);
        expectEqual(more, []);
        expectFields(row, {
          mirrorId: was[at]?.id,
          campaignId: id,
          subject: 'operator',
          ownerId: owner,
          addressBefore: old,
          addressAfter: next,
          changedAt,
          requestId: world.act.requestId,
        });
      }
    },
  },
  {
    name: 'setMany: the audit has how many moved together, and no entry if none did',
    run: async (world) => {
      const owner = newOwner();
      const moves = [await oldMirror(world, owner), nowhere, await oldMirror(world, owner)].map(move);
      const outcomes = await world.mirrorMoves.setMany(moves, { ...terms, owner });
      expectEqual(outcomes, ['moved', 'changed-meanwhile', 'moved']);
      await world.mirrorMoves.setMany(moves, { ...terms, owner });
      const [entry, before] = await world.audit.list({ limit: 2 });
      const details = { from: 'old.example', to: 'New.example', subdomains: false, mirrors: 2 };
      expectFields(entry, { act: 'mirrors-moved', ...world.act, ownerId: owner, details });
      expectEqual(before?.act, 'mirror-created');
    },
  },
  changed('its address is another', ({ mirrorMoves }, id) =>
    mirrorMoves.setOne({ campaign: id, before: old, after: address('https://x.example/') }, terms),
  ),
  changed('it is the default campaign now', ({ others }, id) => others.setDefault(id, true)),
  changed('its owner is another than the one who was asked for', ({ others }, id) =>
    others.transfer(id, newOwner()),
  ),
  changed('its mirror is deleted', ({ others }, id) => others.deleteMirror(id)),
  changed('it is deleted', ({ others }, id) => others.deleteCampaign(id)),
  {
    name: 'setMany: with default campaigns, of any owner: it moves, and the history has the owner of that moment',
    run: async (world) => {
      const id = await oldMirror(world, newOwner());
      const owner = newOwner();
      await world.others.setDefault(id, true);
      await world.others.transfer(id, owner);
      const outcomes = await world.mirrorMoves.setMany([move(id)], { ...terms, includeDefault: true });
      expectEqual(outcomes, ['moved']);
      const owners = (await world.others.history(id)).map(({ ownerId }) => ownerId);
      expectEqual(owners, [owner]);
    },
  },
  {
    name: 'setMany: no moves have no outcomes',
    run: async (world) => expectEqual(await world.mirrorMoves.setMany([], terms), []),
  },
  {
    name: 'setOne: as one of many',
    run: async (world) => {
      const id = await oldMirror(world, newOwner());
      expectEqual(await world.mirrorMoves.setOne(move(id), terms), 'moved');
      expectFields(await world.others.mirror(id), { targetUrl: next });
      expectEqual(await world.mirrorMoves.setOne(move(id), terms), 'changed-meanwhile');
      expectEqual((await world.others.history(id)).length, 1, 'the number of changes');
      const [entry] = await world.audit.list({ limit: 1 });
      expectFields(entry, { act: 'mirrors-moved', ownerId: null });
      expectEqual(entry?.details.mirrors, 1);
    },
  },
];

function changed(
  when: string,
  meanwhile: (world: StoreWorld, id: CampaignId) => Promise<unknown>,
): Case<StoreWorld> {
  return {
    name: `setMany, setOne: left alone, and the rest moves, when ${when}`,
    run: async (world) => {
      const owner = newOwner();
      const ids: CampaignId[] = [];
      for (let made = 0; made < 3; made++) ids.push(await oldMirror(world, owner));
      const id = ids[1] as CampaignId;
      await meanwhile(world, id);
      const was = [await world.others.mirror(id), await world.others.history(id)];
      const outcomes = await world.mirrorMoves.setMany(ids.map(move), { ...terms, owner });
      const expected: MirrorMoveOutcome[] = ['moved', 'changed-meanwhile', 'moved'];
      expectEqual(outcomes, expected);
      expectEqual(await world.mirrorMoves.setOne(move(id), { ...terms, owner }), 'changed-meanwhile');
      expectEqual([await world.others.mirror(id), await world.others.history(id)], was);
    },
  };
}
