import {
  type CampaignId,
  type HostMove,
  host,
  hostMove,
  type MirrorMove,
  type MirrorMoveOutcome,
  type MoveTerms,
  noDeniedHosts,
  type OwnerId,
  type Timestamp,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { tester } from '../support/store/operator.ts';
import { address, type Check, newCampaign, newMirror, newOwner, type World } from '../support/store/world.ts';

const old = address('https://old.example/?x={id}');
const next = address('https://New.example/?x={id}');
const terms: MoveTerms = { move: hostsMove('old.example', 'New.example'), includeDefault: false };

/** What every `MirrorMoves` promises. */
export const mirrorMovesContract: readonly Check[] = [
  {
    name: 'setMany: each is set, strictly later than before, clicks as they were, and recorded as an act of the operator',
    check: async (world) => {
      const owner = newOwner();
      const ids = [await campaign(world, owner), await campaign(world, owner)];
      for (const id of ids) {
        await world.others.countClick(id);
        await world.others.setUpdatedAt(id, '2199-01-01T00:00:00.000001Z' as Timestamp);
      }
      const was = await Promise.all(ids.map((id) => world.others.mirror(id)));
      expect(await world.mirrorMoves.setMany(ids.map(move), terms)).to.deep.equal(['moved', 'moved']);
      const changedAt = '2199-01-01T00:00:00.000002Z';
      for (const [at, id] of ids.entries()) {
        const times = { updatedExternallyAt: changedAt, updatedAt: changedAt };
        const is = { ...was[at], ...times, targetUrl: next, updatedExternally: true };
        expect(await world.others.mirror(id)).to.deep.equal(is);
        const rows = await world.others.history(id);
        expect(rows).to.have.length(1);
        expect(rows[0]).to.deep.include({
          mirrorId: was[at]?.id,
          campaignId: id,
          subject: 'operator',
          ownerId: owner,
          addressBefore: old,
          addressAfter: next,
          changedAt,
          requestId: tester.requestId,
        });
      }
    },
  },
  {
    name: 'setMany: how many moved together is in the audit; nothing is where none did',
    check: async (world) => {
      const owner = newOwner();
      const moves = [await campaign(world, owner), nowhere, await campaign(world, owner)].map(move);
      const outcomes = await world.mirrorMoves.setMany(moves, { ...terms, owner });
      expect(outcomes).to.deep.equal(['moved', 'changed-meanwhile', 'moved']);
      await world.mirrorMoves.setMany(moves, { ...terms, owner });
      const [entry, before] = await world.audit.list({ limit: 2 });
      const details = { from: 'old.example', to: 'New.example', subdomains: false, mirrors: 2 };
      expect(entry).to.deep.include({ act: 'mirrors-moved', ...tester, ownerId: owner, details });
      expect(before?.act).to.equal('mirror-created');
    },
  },
  changed('its address is another', async (world, id) => {
    await world.mirrorMoves.setOne(
      { campaign: id, before: old, after: address('https://x.example/') },
      terms,
    );
  }),
  changed('it is the default campaign now', (world, id) => world.others.setDefault(id, true)),
  changed('its owner is another than the one who was asked for', (world, id) =>
    world.others.transfer(id, newOwner()),
  ),
  changed('its mirror is deleted', (world, id) => world.others.deleteMirror(id)),
  changed('it is deleted', (world, id) => world.others.deleteCampaign(id)),
  {
    name: 'setMany: with default campaigns, and of any owner: it moves, and the history has the owner of that moment',
    check: async (world) => {
      const id = await campaign(world, newOwner());
      const owner = newOwner();
      await world.others.setDefault(id, true);
      await world.others.transfer(id, owner);
      const outcomes = await world.mirrorMoves.setMany([move(id)], { ...terms, includeDefault: true });
      expect(outcomes).to.deep.equal(['moved']);
      expect((await world.others.history(id)).map(({ ownerId }) => ownerId)).to.deep.equal([owner]);
    },
  },
  {
    name: 'setMany: none at all',
    check: async (world) => void expect(await world.mirrorMoves.setMany([], terms)).to.deep.equal([]),
  },
  {
    name: 'setOne: as one of many',
    check: async (world) => {
      const id = await campaign(world, newOwner());
      expect(await world.mirrorMoves.setOne(move(id), terms)).to.equal('moved');
      expect(await world.others.mirror(id)).to.include({ targetUrl: next });
      expect(await world.mirrorMoves.setOne(move(id), terms)).to.equal('changed-meanwhile');
      expect(await world.others.history(id)).to.have.length(1);
      const [entry] = await world.audit.list({ limit: 1 });
      expect(entry).to.deep.include({ act: 'mirrors-moved', ownerId: null });
      expect(entry?.details).to.include({ mirrors: 1 });
    },
  },
  {
    name: 'find: stretch by stretch all mirrors, once each, in the order of their campaigns; count: how many they are',
    check: async (world) => {
      const ids: CampaignId[] = [];
      for (let made = 0; made < 5; made++) ids.push(await campaign(world, newOwner()));
      const found: CampaignId[] = [];
      let looked = 0;
      let stretches = 0;
      let after: CampaignId | undefined;
      do {
        const stretch = await world.mirrorMoves.find({ limit: 2, ...(after && { after }) });
        expect(stretch.looked).to.be.at.most(2);
        expect(stretch.last).to.equal(stretch.mirrors.at(-1)?.campaign.id);
        found.push(...stretch.mirrors.map((one) => one.campaign.id));
        looked += stretch.looked;
        expect(++stretches, 'it ends').to.be.below(10_000);
        after = stretch.last;
      } while (after !== undefined);
      expect(found).to.deep.equal(found.toSorted((one, other) => one - other));
      expect(found.filter((id) => ids.includes(id))).to.deep.equal(ids);
      expect(looked).to.equal(found.length);
      expect(await world.mirrorMoves.count()).to.equal(found.length);
    },
  },
  {
    name: "find: an owner's alone, with what is judged; those of others are looked at, too",
    check: async (world) => {
      const owner = newOwner();
      const before = await campaign(world, newOwner());
      const mine = await campaign(world, owner, true);
      const others = await campaign(world, newOwner());
      const found = await world.mirrorMoves.find({ after: before, limit: 2, owner });
      expect(found).to.deep.equal({
        mirrors: [{ campaign: { id: mine, ownerId: owner, isDefault: true, hasMirror: true }, address: old }],
        looked: 2,
        last: others,
      });
      expect(await world.mirrorMoves.find({ after: others, limit: 2, owner })).to.deep.equal({
        mirrors: [],
        looked: 0,
        last: undefined,
      });
    },
  },
];

const nowhere = Number.MAX_SAFE_INTEGER as CampaignId;

/** A campaign whose mirror is on the host that moves. */
async function campaign(world: World, owner: OwnerId, isDefault = false): Promise<CampaignId> {
  const { id } = await newCampaign(world, owner, isDefault);
  await newMirror(world, id, old);
  return id;
}

function move(id: CampaignId): MirrorMove {
  return { campaign: id, before: old, after: next };
}

function hostsMove(from: string, to: string): HostMove {
  const [left, taken] = [host(from), host(to)];
  const made = left && taken && hostMove(left, taken, false, noDeniedHosts);
  if (!made || 'fault' in made) throw new Error(`no move: ${from} ${to}`);
  return made;
}

function changed(when: string, meanwhile: (world: World, id: CampaignId) => Promise<void>): Check {
  return {
    name: `setMany, setOne: left alone, and the rest moves, when ${when}`,
    check: async (world) => {
      const owner = newOwner();
      const [first, id, last] = [
        await campaign(world, owner),
        await campaign(world, owner),
        await campaign(world, owner),
      ];
      await meanwhile(world, id);
      const was = [await world.others.mirror(id), await world.others.history(id)];
      const outcomes = await world.mirrorMoves.setMany([first, id, last].map(move), { ...terms, owner });
      const expected: MirrorMoveOutcome[] = ['moved', 'changed-meanwhile', 'moved'];
      expect(outcomes).to.deep.equal(expected);
      expect(await world.mirrorMoves.setOne(move(id), { ...terms, owner })).to.equal('changed-meanwhile');
      expect([await world.others.mirror(id), await world.others.history(id)]).to.deep.equal(was);
    },
  };
}
