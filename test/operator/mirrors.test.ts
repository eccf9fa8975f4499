import {
  type CampaignId,
  type HistoryId,
  host,
  hostMove,
  noDeniedHosts,
  type Timestamp,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { worldOf } from '../support/process/lives.ts';
import { tester } from '../support/store/operator.ts';
import {
  address,
  before as beforehand,
  change,
  type Live,
  liveCampaign,
  mirrorSet,
  newCampaign,
  newMirror,
  newOwner,
} from '../support/store/world.ts';

describe('a mirror that the operator sets', () => {
  const world = worldOf('suite');
  const restored = { address: address('https://example.com/{back}?\u00fc'), change: 7 as HistoryId };

  it('keeps its clicks, gets a later time, and is recorded in history and audit by one act', async () => {
    const { seen, mirror } = await liveCampaign(world);
    await world.others.countClick(seen.id);
    await world.others.setUpdatedAt(seen.id, '2199-01-01T00:00:00.000001Z' as Timestamp);
    const set = await world.operatorMirrors.setMirror(seen, restored);
    const changedAt = '2199-01-01T00:00:00.000002Z';
    const times = { updatedExternally: true, updatedExternallyAt: changedAt, updatedAt: changedAt };
    expect(set).to.deep.equal({ ...mirror, ...times, clicks: 1, targetUrl: restored.address });
    expect(await world.others.mirror(seen.id)).to.deep.equal(set);
    const { requestId } = tester;
    const [row, ...more] = await world.others.history(seen.id);
    expect(more).to.deep.equal([]);
    expect(row).to.include({ subject: 'operator', ownerId: seen.ownerId, changedAt, requestId });
    expect(row).to.include({ addressBefore: beforehand, addressAfter: restored.address });
    const [entry] = await world.audit.list({ campaign: seen.id, limit: 1 });
    expect(entry).to.deep.include({ act: 'mirror-restored', requestId });
  });

  const meanwhile: Record<string, (live: Live) => Promise<unknown>> = {
    'its owner is another': ({ seen }) => world.others.transfer(seen.id, newOwner()),
    'it is the default campaign now': ({ seen }) => world.others.setDefault(seen.id, true),
    'its mirror is deleted': ({ seen }) => world.others.deleteMirror(seen.id),
    'it is deleted': ({ seen }) => world.others.deleteCampaign(seen.id),
  };
  for (const [when, happens] of Object.entries(meanwhile)) {
    it(`is not set when ${when}, and nothing is recorded`, async () => {
      const live = await liveCampaign(world);
      await happens(live);
      const mirror = await world.others.mirror(live.seen.id);
      expect(await world.operatorMirrors.setMirror(live.seen, restored)).to.equal(undefined);
      expect(await world.others.mirror(live.seen.id)).to.deep.equal(mirror);
      expect(await world.others.history(live.seen.id)).to.deep.equal([]);
      const acts = (await world.audit.list({ campaign: live.seen.id, limit: 10 })).map(({ act }) => act);
      expect(acts).not.to.include('mirror-restored');
    });
  }

  it('racing with keys, each change replaces the address that was there', async () => {
    const { seen, by } = await liveCampaign(world);
    const calls = Array.from({ length: 10 }, (_, at) =>
      at % 2
        ? () => world.operatorMirrors.setMirror(seen, restored)
        : () => mirrorSet(world, seen, change(by, address(`https://example.com/racer/${at}`))),
    );
    expect(await world.others.atOnce(seen.id, calls)).not.to.include(undefined);
    const rows = await world.others.history(seen.id);
    const afters = rows.map((row) => row.addressAfter);
    expect(rows.map((row) => row.addressBefore)).to.deep.equal([beforehand, ...afters.slice(0, -1)]);
    const times = rows.map((row) => row.changedAt);
    expect(times).to.deep.equal(times.toSorted());
    expect(await world.others.mirror(seen.id)).to.include({ targetUrl: afters.at(-1) });
  });

  describe('to move it', () => {
    const [from, to] = [host('old.example'), host('New.example')];
    const move = from && to && hostMove(from, to, false, noDeniedHosts);
    if (!move || 'fault' in move) throw new Error('no move');
    const terms = { move, includeDefault: false };
    const [old, next] = [address('https://old.example/?x={id}'), address('https://New.example/?x={id}')];
    const moveOf = (campaign: CampaignId) => ({ campaign, before: old, after: next });
    const onOldHost = async (owner = newOwner()) => {
      const { id } = await newCampaign(world, owner);
      await newMirror(world, id, old);
      return id;
    };

    for (const [when, happens] of Object.entries(meanwhile).slice(1)) {
      it(`is left alone, and the rest moves, when ${when}`, async () => {
        const owner = newOwner();
        const ids = [await onOldHost(owner), await onOldHost(owner), await onOldHost(owner)];
        const id = ids[1] as CampaignId;
        await happens({ seen: { id } } as Live);
        const was = [await world.others.mirror(id), await world.others.history(id)];
        const outcomes = await world.mirrorMoves.setMany(ids.map(moveOf), { ...terms, owner });
        expect(outcomes).to.deep.equal(['moved', 'changed-meanwhile', 'moved']);
        const alone = await world.mirrorMoves.setOne(moveOf(id), { ...terms, owner });
        expect(alone).to.equal('changed-meanwhile');
        expect([await world.others.mirror(id), await world.others.history(id)]).to.deep.equal(was);
      });
    }

    it('gets a later time also while the clock is behind, with the owner of that moment in the history', async () => {
      const ids = [await onOldHost(), await onOldHost()];
      const owner = newOwner();
      for (const id of ids) {
        await world.others.countClick(id);
        await world.others.setUpdatedAt(id, '2199-01-01T00:00:00.000001Z' as Timestamp);
        await world.others.transfer(id, owner);
      }
      expect(await world.mirrorMoves.setMany(ids.map(moveOf), terms)).to.deep.equal(['moved', 'moved']);
      for (const id of ids) {
        const updatedAt = '2199-01-01T00:00:00.000002Z';
        expect(await world.others.mirror(id)).to.include({ targetUrl: next, clicks: 1, updatedAt });
        const [row] = await world.others.history(id);
        expect(row).to.include({ ownerId: owner, changedAt: updatedAt, addressBefore: old });
      }
    });
  });
});
