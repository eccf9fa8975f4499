import { postgresMirrorHistory } from '@campaign-mirror/adapters-persistence/service';
import { type CampaignId, keySubject } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { transfer } from '../support/store/grouped.ts';
import { type Live, named, newOwner } from '../support/store/world.ts';
import { gateBeforeLock } from './gate.ts';

/** What may end, begin or be mistaken in an array or a literal of PostgreSQL. */
const odd = [`it''s"quoted"`, 'back\\slash\\', '{,{}}', 'NULL', '\\N$1'];
const steps = odd.map((step) => `https://example.com/${step}`);
const requestIds = odd;
const rivals = 'https://example.com/rival';

describe('group commit: several updates of one campaign', () => {
  const service = groupedOf('suite');

  /** All in one turn, with one of another campaign, so that they go as a batch. */
  const setAll = (live: Live, other: Live) =>
    Promise.all([
      ...steps.map((step, at) => service.setMirror(live, step, requestIds[at])),
      service.setMirror(other, rivals),
    ]);
  const noSteps = [...steps.map(() => undefined), rivals];

  /** An unbroken chain from this address on, in the order of the calls, each with its own answer; the last stays. */
  async function expectChain(live: Live, from: string, answers: Awaited<ReturnType<typeof setAll>>) {
    expect(answers.map((mirror) => mirror?.targetUrl)).to.deep.equal([...steps, rivals]);
    const rows = await service.history(live);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(steps);
    expect(rows.map((row) => row.addressBefore)).to.deep.equal([from, ...steps.slice(0, -1)]);
    expect(rows.map((row) => row.requestId)).to.deep.equal(requestIds);
    for (const [at, row] of rows.entries()) {
      const { changedAt } = row;
      expect(answers[at]).to.include({ updatedAt: changedAt, updatedExternallyAt: changedAt });
      expect(answers[at]).to.include({
        id: live.mirror.id,
        campaignId: live.seen.id,
        updatedExternally: true,
      });
    }
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(answers[steps.length - 1]);
  }

  it('which a rival overtakes between their look and their lock: the chain begins with the address of the rival', async () => {
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
    expect(answers[0]).to.include({ clicks: 7, updatedAt: '2199-01-01T00:00:00.000001Z' });
    await expectChain(live, rivals, answers);
  });

  it('whose mirror something keeps from being set: nothing is recorded, and nobody is told otherwise', async () => {
    const [live, other] = await service.live(2);
    await service.database.admin.query(`
      create function campaign_mirror.keep() returns trigger language plpgsql as $$ begin return null; end $$;
      create trigger keep before update on campaign_mirror.mirrors for each row
        when (old.campaign_id = ${live.seen.id}) execute function campaign_mirror.keep()`);
    expect((await setAll(live, other)).map((mirror) => mirror?.targetUrl)).to.deep.equal(noSteps);
    expect(await service.history(live)).to.deep.equal([]);
  });

  it('whose campaign is given away between their look and their lock: none is written, the others of the batch are', async () => {
    const [live, other] = await service.live(2);
    const keeper = await gateBeforeLock(service.database, live.seen.id);
    const calls = setAll(live, other);
    await untilWaiting(service.database, calls);
    await service.database.admin.query(transfer, [live.seen.id, newOwner()]);
    await keeper.commit();
    expect((await calls).map((mirror) => mirror?.targetUrl)).to.deep.equal(noSteps);
    expect(await service.history(live)).to.deep.equal([]);
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(live.mirror);
  });
});

describe('group commit: the members of a batch', () => {
  const service = groupedOf('suite');
  const [address = ''] = steps;
  const setAll = async (...lives: readonly Pick<Live, 'seen' | 'by'>[]) =>
    (await Promise.all(lives.map((live) => service.setMirror(live, address)))).map((one) => one?.targetUrl);

  it('one that was judged on other facts than one before it, of the same campaign: each is judged by itself', async () => {
    const [live, other] = await service.live(2);
    const owner = newOwner();
    const { id } = await service.world.accessKeys.issue({ owner, name: named('new owner') });
    const by = { ownerId: owner, subject: keySubject(id), key: id };
    const now = { seen: { ...live.seen, ownerId: owner }, by };
    await service.world.others.transfer(live.seen.id, owner);
    expect(await setAll(live, other, now)).to.deep.equal([undefined, address, address]);
    expect(await setAll(now, other, live)).to.deep.equal([address, address, undefined]);
    const [rows, others] = [await service.history(live), await service.history(other)];
    expect(rows.map((row) => row.ownerId)).to.deep.equal([owner, owner]);
    expect(rows.map((row) => row.transaction)).to.deep.equal(others.map((row) => row.transaction));
    const history = postgresMirrorHistory(service.database.admin);
    const listed = await history.list({ campaign: other.seen.id, limit: 3 });
    expect(listed.map(({ id }) => id)).to.deep.equal(others.map(({ id }) => id).reverse());
  });

  it('128 of the longest addresses go together, and no more; what is beyond goes next', async () => {
    const lives: Live[] = [];
    while (lives.length < 130) lives.push(...(await service.live(10)));
    const long = `https://example.com/${'\u{1f389}'.repeat(2028)}`;
    const [set] = await Promise.all(lives.map((live) => service.setMirror(live, long)));
    expect(await service.world.others.mirror(lives[0]?.seen.id as CampaignId)).to.deep.equal(set);
    const sizes = new Map<string, number>();
    for (const { transaction, addressAfter } of await service.history(...lives)) {
      expect(addressAfter).to.equal(long);
      sizes.set(transaction, (sizes.get(transaction) ?? 0) + 1);
    }
    expect([...sizes.values()].sort()).to.deep.equal([128, 2]);
  });
});
