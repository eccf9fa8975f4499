import { expect } from 'chai';
import { liveServiceOf } from '../support/process/lives.ts';
import { named } from '../support/store/operator.ts';
import { newOwner } from '../support/store/world.ts';

describe(`contract: atomicity — two services on one database`, () => {
  const service = liveServiceOf('suite');

  it('race: every update succeeds, and the history is one unbroken chain', async () => {
    const live = await service.campaign();
    const another = await service.another();
    const calls = Array.from({ length: 20 }, (_, at) => {
      const { set } = at % 2 ? service : another;
      return async () => (await set(live, `https://example.com/${at}`)).kind;
    });
    const kinds = await service.world.others.atOnce(live.seen.id, calls);
    expect(kinds).to.deep.equal(calls.map(() => 'mirror-set'));
    const history = await service.world.others.history(live.seen.id);
    const after = history.map((row) => row.addressAfter);
    expect(new Set(after).size).to.equal(20);
    expect(history.map((row) => row.addressBefore)).to.deep.equal([
      live.mirror.targetUrl,
      ...after.slice(0, -1),
    ]);
    expect(await service.world.others.mirror(live.seen.id)).to.include({ targetUrl: after.at(-1) });
  });

  it('and the campaign passes to and fro: nobody sets a mirror who is not the owner at that moment', async () => {
    const live = await service.campaign();
    const second = newOwner();
    const { key } = await service.world.accessKeys.issue({ owner: second, name: named('second') });
    const another = await service.another();
    const owners = {
      [live.seen.ownerId]: 'https://example.com/first',
      [second]: 'https://example.com/second',
    };
    for (let round = 0; round < 20; round++) {
      await Promise.all([
        service.set(live, 'https://example.com/first'),
        another.set({ ...live, key }, 'https://example.com/second'),
        service.world.others.transfer(live.seen.id, round % 2 ? live.seen.ownerId : second),
      ]);
    }
    const history = await service.world.others.history(live.seen.id);
    expect(history).not.to.deep.equal([]);
    expect(history.map((row) => row.addressAfter)).to.deep.equal(history.map((row) => owners[row.ownerId]));
  });
});
