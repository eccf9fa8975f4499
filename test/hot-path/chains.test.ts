import { expect } from 'chai';
import { gateBeforeLock, shutGate } from '../support/database/gate.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { microseconds, setAddress, transfer } from '../support/store/grouped.ts';
import { before as beforehand, newOwner } from '../support/store/world.ts';

const steps = ['one', 'two', 'three', 'four', 'five'].map((step) => `https://example.com/${step}`);
const rivals = 'https://example.com/rival';

describe('group commit: several updates of one campaign', () => {
  const service = groupedOf('test');

  it('go as one commit: an unbroken chain in their order, each with its own answer, and the last stays', async () => {
    const [live, other] = await service.live(2);
    const calls = steps.map((step, at) => service.setMirror(live, step, `request-${at}`));
    const [, ...answers] = await Promise.all([service.setMirror(other as never, rivals), ...calls]);

    const rows = await service.history(live);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(steps);
    expect(rows.map((row) => row.addressBefore)).to.deep.equal([beforehand, ...steps.slice(0, -1)]);
    expect(rows.map((row) => row.requestId)).to.deep.equal(steps.map((_, at) => `request-${at}`));
    expect(new Set(rows.map((row) => row.transaction)).size).to.equal(1);
    const ids = rows.map((row) => row.id);
    expect(ids).to.deep.equal(ids.toSorted((one, next) => one - next));

    const times = rows.map((row) => microseconds(row.changedAt));
    expect(times).to.deep.equal(times.map((_, at) => (times[0] ?? 0n) + BigInt(at)));
    expect(answers.map((mirror) => mirror?.targetUrl)).to.deep.equal(steps);
    for (const [at, mirror] of answers.entries()) {
      expect(mirror).to.include({ updatedAt: rows[at]?.changedAt, updatedExternallyAt: rows[at]?.changedAt });
      expect(mirror).to.include({ id: live.mirror.id, campaignId: live.seen.id, updatedExternally: true });
    }
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(answers.at(-1));
  });

  it('chain after chain: times rise from one to the next, also while the clock stands behind them', async () => {
    const [live] = await service.live(1);
    await service.world.others.setUpdatedAt(live.seen.id, '2199-12-31T23:59:59.999997Z' as never);
    for (let chain = 0; chain < 2; chain++) {
      await Promise.all(steps.slice(0, 2).map((step) => service.setMirror(live, step)));
    }
    expect((await service.history(live)).map((row) => row.changedAt)).to.deep.equal([
      '2199-12-31T23:59:59.999998Z',
      '2199-12-31T23:59:59.999999Z',
      '2200-01-01T00:00:00.000000Z',
      '2200-01-01T00:00:00.000001Z',
    ]);
  });

  it('of which the first is passed over, for a rival who then commits: the chain begins with the address of the rival', async () => {
    const [live, other] = await service.live(2);
    const holder = await rival(service.database);
    await holder.run(setAddress, live.seen.id, rivals);
    const calls = Promise.all(steps.map((step) => service.setMirror(live, step)));
    await service.setMirror(other as never, rivals);
    await untilWaiting(service.database, calls);
    await holder.commit();
    const answers = await calls;
    expect(answers.map((mirror) => mirror?.targetUrl)).to.deep.equal(steps);

    const rows = await service.history(live);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(steps);
    expect(rows.map((row) => row.addressBefore)).to.deep.equal([rivals, ...steps.slice(0, -1)]);
    // The first waited for the rival, the others for the first, and then they went together.
    expect(new Set(rows.slice(1).map((row) => row.transaction)).size).to.equal(1);
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(answers.at(-1));
  });

  it('which a rival overtakes between their look and their lock: the chain begins with the address of the rival', async () => {
    const [live, other] = await service.live(2);
    await gateBeforeLock(service.database, 'mirrors', live.seen.id);
    const keeper = await shutGate(service.database);
    const calls = Promise.all([
      ...steps.map((step) => service.setMirror(live, step)),
      service.setMirror(other as never, rivals),
    ]);
    await untilWaiting(service.database, calls);
    await service.database.admin.query(
      `update campaign_mirror.mirrors set target_url = $2, clicks = 7, updated_at = '2199-01-01T00:00:00Z'
       where campaign_id = $1`,
      [live.seen.id, rivals],
    );
    await keeper.commit();
    const answers = await calls;
    expect(answers[0]).to.include({ clicks: 7, updatedAt: '2199-01-01T00:00:00.000001Z' });
    const rows = await service.history(live);
    expect(rows.map((row) => row.addressBefore)).to.deep.equal([rivals, ...steps.slice(0, -1)]);
    expect(new Set(rows.map((row) => row.transaction)).size).to.equal(1);
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(answers.at(-2));
  });

  it('whose mirror something keeps from being set: nothing is recorded, and nobody is told otherwise', async () => {
    const [live, other] = await service.live(2);
    await service.database.admin.query(`
      create function campaign_mirror.keep() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger keep before update on campaign_mirror.mirrors for each row
        when (old.campaign_id = ${live.seen.id}) execute function campaign_mirror.keep()`);
    const calls = [
      ...steps.map((step) => service.setMirror(live, step)),
      service.setMirror(other as never, rivals),
    ];
    const answers = await Promise.all(calls);
    expect(answers.map((mirror) => mirror?.targetUrl)).to.deep.equal([...steps.map(() => undefined), rivals]);
    expect(await service.history(live)).to.deep.equal([]);
  });

  it('whose campaign is given away between their look and their lock: none is written, the others of the batch are', async () => {
    const [live, other] = await service.live(2);
    await gateBeforeLock(service.database, 'campaigns', live.seen.id);
    const keeper = await shutGate(service.database);
    const calls = Promise.all([
      ...steps.map((step) => service.setMirror(live, step)),
      service.setMirror(other as never, rivals),
    ]);
    await untilWaiting(service.database, calls);
    await service.database.admin.query(transfer, [live.seen.id, newOwner()]);
    await keeper.commit();
    expect((await calls).map((mirror) => mirror?.targetUrl)).to.deep.equal([
      ...steps.map(() => undefined),
      rivals,
    ]);
    expect(await service.history(live)).to.deep.equal([]);
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(live.mirror);
  });
});
