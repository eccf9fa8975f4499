import { keySubject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { transfer } from '../support/store/grouped.ts';
import { type Live, named, newOwner } from '../support/store/world.ts';
import { gateBeforeLock } from './gate.ts';

/** Texts that have a meaning in an array or a literal of PostgreSQL. */
const odd = [`it''s"quoted"`, 'back\\slash\\', '{,{}}', 'NULL', '\\N$1'];
const steps = odd.map((step) => `https://example.com/${step}`);
const rivals = 'https://example.com/rival';

describe('several updates of one campaign at a time', () => {
  const service = groupedOf('suite');

  /** All in one turn, with one of another campaign in their batch. */
  const setAll = (live: Live, other: Live) =>
    Promise.all([
      ...steps.map((step, nth) => service.setMirror(live, step, odd[nth])),
      service.setMirror(other, rivals),
    ]);

  it('form a chain in their order, from the address that a rival sets between their read and their lock', async () => {
    const [live, other] = await service.live(2);
    const keeper = await gateBeforeLock(service.database, live.seen.id);
    const calls = setAll(live, other);
    await untilWaiting(service.database, calls);
    await service.database.admin.query(
      `update campaign_mirror.mirrors set target_url = $2, clicks = 7, updated_at = '2199-01-01T00:00:00Z'
       where campaign_id = $1`,
      [live.seen.id, rivals],
    );
    await keeper.commit();
    const answers = await calls;
    expect(answers.map((mirror) => mirror?.targetUrl)).to.deep.equal([...steps, rivals]);
    expect(answers[0]).to.include({ clicks: 7, updatedAt: '2199-01-01T00:00:00.000001Z' });
    const rows = await service.history(live);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(steps);
    expect(rows.map((row) => row.addressBefore)).to.deep.equal([rivals, ...steps.slice(0, -1)]);
    expect(rows.map((row) => row.requestId)).to.deep.equal(odd);
    for (const [nth, { changedAt }] of rows.entries()) {
      const { id, campaignId } = live.mirror;
      const times = { updatedAt: changedAt, updatedExternallyAt: changedAt };
      expect(answers[nth]).to.include({ id, campaignId, updatedExternally: true, ...times });
    }
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(answers[steps.length - 1]);
  });

  it('write nothing if the campaign is transferred between their read and their lock; the others are set', async () => {
    const [live, other] = await service.live(2);
    const keeper = await gateBeforeLock(service.database, live.seen.id);
    const calls = setAll(live, other);
    await untilWaiting(service.database, calls);
    await service.database.admin.query(transfer, [live.seen.id, newOwner()]);
    await keeper.commit();
    const addresses = (await calls).map((mirror) => mirror?.targetUrl);
    expect(addresses).to.deep.equal([...steps.map(() => undefined), rivals]);
    expect(await service.history(live)).to.deep.equal([]);
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(live.mirror);
  });

  it('are each judged by the owner that their caller saw', async () => {
    const [live, other] = await service.live(2);
    const owner = newOwner();
    const { id } = await service.world.accessKeys.issue({ owner, name: named('new owner') });
    const by = { ownerId: owner, subject: keySubject(id), key: id };
    const now = { seen: { ...live.seen, ownerId: owner }, by };
    await service.world.others.transfer(live.seen.id, owner);
    const set = await Promise.all([live, other, now].map((one) => service.setMirror(one, rivals)));
    expect(set.map((mirror) => mirror?.targetUrl)).to.deep.equal([undefined, rivals, rivals]);
    const [rows, others] = [await service.history(live), await service.history(other)];
    expect(rows.map((row) => row.ownerId)).to.deep.equal([owner]);
    expect(rows[0]?.transaction, 'one batch').to.equal(others[0]?.transaction);
  });
});
