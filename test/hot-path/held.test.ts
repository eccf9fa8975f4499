import { type Outcome, Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { eventually } from '../support/eventually.ts';
import { rejection } from '../support/faults.ts';
import {
  type Grouped,
  type GroupedOptions,
  grouped,
  lockMirror,
  transfer,
} from '../support/store/grouped.ts';
import { named } from '../support/store/operator.ts';
import { type Live, newOwner } from '../support/store/world.ts';

const address = 'https://example.com/new';

describe('group commit: while somebody holds a campaign or a mirror', () => {
  let service: Grouped;
  let holder: Rival;
  afterEach(() => service.close());

  async function withHolder(options?: GroupedOptions): Promise<void> {
    service = await grouped(options);
    holder = await rival(service.database);
  }

  /** More than one batch takes, each set to an address of its own. */
  async function expectServed(lives: readonly Live[], calls = 200): Promise<void> {
    const all = Array.from({ length: calls }, (_, at) =>
      service.set(lives[at % lives.length] as Live, `${address}/${at}`),
    );
    for (const [at, outcome] of (await Promise.all(all)).entries()) {
      expect(outcome).to.have.nested.property('mirror.targetUrl', `${address}/${at}`);
    }
  }

  it('all others are answered; the held ones after the rival, by the facts then', async () => {
    await withHolder();
    const [given, locked, ...others] = await service.live(8);
    await holder.run(transfer, given.seen.id, newOwner());
    await holder.run(lockMirror, locked?.seen.id);
    const held = Promise.all([service.set(given, address), service.set(locked as Live, address)]);
    await expectServed(others);
    await untilWaiting(service.database, held, 2);
    await expectServed(others);
    await holder.commit();
    const [refused, set] = await held;
    expect(refused).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    expect(set).to.have.property('kind', 'mirror-set');
    expect(await service.history(given)).to.deep.equal([]);
  });

  it("callers who are not its owner: they are refused at once, while the owner's update waits", async () => {
    await withHolder();
    const [held, ...strangers] = await service.live(4);
    for (const stranger of strangers) await service.set(stranger, address);
    await holder.run(lockMirror, held.seen.id);
    const call = service.set(held, address);
    await untilWaiting(service.database, call);
    const refused = strangers.map(({ key }) => service.set({ key, seen: held.seen }, address));
    // If they waited for the holder, this would never end.
    for (const outcome of await Promise.all(refused))
      expect(outcome).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    await holder.rollback();
    expect(await call).to.have.property('kind', 'mirror-set');
  });

  it('and it was asked for alone: what comes behind it is answered', async () => {
    await withHolder();
    const [held, ...others] = await service.live(4);
    await holder.run(lockMirror, held.seen.id);
    const call = service.setMirror(held, address);
    await untilWaiting(service.database, call);
    for (const other of others)
      expect(await service.setMirror(other, address)).to.include({ targetUrl: address });
    await holder.rollback();
    expect(await call).to.include({ targetUrl: address });
  });

  it('its later updates wait behind it, with no statement of their own in vain', async () => {
    await withHolder();
    const [held] = await service.live(1);
    await holder.run(lockMirror, held.seen.id);
    const first = service.setMirror(held, `${address}/first`);
    await untilWaiting(service.database, first);
    const second = service.setMirror(held, `${address}/second`);
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    setImmediate(() => setImmediate(resolve));
    await taken;
    await holder.rollback();
    await Promise.all([first, second]);
    const statements = service.ran.map(({ name }) => name);
    expect(statements).to.deep.equal(['set-mirror', 'set-held-mirror-chains', 'set-held-mirror-chains']);
  });

  it('its updates take one connection, and go together when it is free', async () => {
    await withHolder();
    const [held, other] = await service.live(2);
    await holder.run(lockMirror, held.seen.id);
    const calls = Promise.all(
      Array.from({ length: 20 }, (_, at) => service.setMirror(held, `${address}/${at}`)),
    );
    await untilWaiting(service.database, calls);
    await service.setMirror(other as Live, address);
    expect(service.pool.totalCount - service.pool.idleCount).to.equal(1);
    await holder.rollback();
    await calls;
    const rows = await service.history(held);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(rows.map((_, at) => `${address}/${at}`));
    expect(new Set(rows.slice(1).map((row) => row.transaction)).size).to.equal(1);
  });

  it('more of them than are waited for: others are answered, and each of them when its turn comes', async () => {
    await withHolder({ maxHeld: 2 });
    const [free, ...held] = await service.live(7);
    await holder.run(`select from campaign_mirror.mirrors where campaign_id <> ${free.seen.id} for update`);
    const calls = Promise.all(held.map((live) => service.setMirror(live, address)));
    await untilWaiting(service.database, calls, 2);
    await expectServed([free], 100);
    expect(service.pool.totalCount - service.pool.idleCount).to.equal(2);
    await holder.rollback();
    for (const mirror of await calls) expect(mirror).to.include({ targetUrl: address });
    expect(await service.history(...held)).to.have.length(held.length);
  });

  it('more of them than are waited for, for too long: those beyond are Unavailable and nothing is written for them', async () => {
    await withHolder({ maxHeld: 2, timeout: 50 });
    const [free, ...held] = await service.live(7);
    await holder.run(`select from campaign_mirror.mirrors where campaign_id <> ${free.seen.id} for update`);
    const waitedFor = Promise.all(held.slice(0, 2).map((live) => service.setMirror(live, address)));
    await untilWaiting(service.database, waitedFor, 2);
    const beyond = await Promise.all(held.map((live) => rejection(service.setMirror(live, address))));
    for (const fault of beyond) expect(fault).to.be.instanceOf(Unavailable);
    expect(await service.setMirror(free, address)).to.include({ targetUrl: address });
    await holder.rollback();
    for (const mirror of await waitedFor) expect(mirror).to.include({ targetUrl: address });
    expect(await service.history(...held)).to.have.length(2);
    const again = await Promise.all(held.map((live) => service.setMirror(live, address)));
    for (const mirror of again) expect(mirror).to.include({ targetUrl: address });
  });

  for (const [where, options] of [
    ['for its turn', { maxHeld: 1, timeout: 300 }],
    ['for the row', { statementTimeout: 300 }],
  ] as const)
    it(`too long ${where}: a key that was revoked is told so, a valid one that it is Unavailable`, async () => {
      await withHolder(options);
      const [held, other] = await service.live(2);
      const { id, key } = await service.world.accessKeys.issue({
        owner: held.seen.ownerId,
        name: named('revoked'),
      });
      await service.set({ ...held, key }, address);
      for (const { seen } of [held, other as Live]) await holder.run(lockMirror, seen.id);
      const first = rejection(service.setMirror(where === 'for the row' ? held : (other as Live), address));
      await untilWaiting(service.database, first);
      const { length } = service.ran;
      const valid = rejection(service.set(held, address));
      if (where === 'for its turn')
        await eventually('its first statement', () => expect(service.ran).to.have.lengthOf.above(length));
      await service.world.accessKeys.revoke(id);
      expect(await service.set({ ...held, key }, address)).to.deep.equal({ kind: 'unauthenticated' });
      expect(await valid).to.be.instanceOf(Unavailable);
      await holder.rollback();
      await first;
    });

  it('an idle transaction of a stranger: 64 callers ask for what it holds, every other owner is answered, no connection is left over', async () => {
    await withHolder();
    const [held, ...others] = await service.live(9);
    await holder.run(lockMirror, held.seen.id);
    const callers = Promise.all(Array.from({ length: 64 }, (_, at) => service.set(held, `${address}/${at}`)));
    await untilWaiting(service.database, callers);
    await expectServed(others);
    expect(service.pool.totalCount - service.pool.idleCount).to.equal(1);
    await holder.rollback();
    const outcomes: Outcome[] = await callers;
    expect(new Set(outcomes.map(({ kind }) => kind))).to.deep.equal(new Set(['mirror-set']));
    expect(await service.history(held)).to.have.length(64);
    expect([service.pool.totalCount - service.pool.idleCount, service.pool.waitingCount]).to.deep.equal([
      0, 0,
    ]);
  });

  it('on a pool of two: others are answered', async () => {
    await withHolder({ size: 2 });
    const [held, alsoHeld, ...others] = await service.live(4);
    for (const { seen } of [held, alsoHeld as Live]) await holder.run(lockMirror, seen.id);
    const calls = Promise.all([service.set(held, address), service.set(alsoHeld as Live, address)]);
    await untilWaiting(service.database, calls);
    await expectServed(others);
    await holder.rollback();
    for (const outcome of await calls) expect(outcome).to.have.property('kind', 'mirror-set');
  });

  it('on a pool of one, which waits: others are Unavailable in time, and answered afterwards', async () => {
    await withHolder({ size: 1, waitTimeout: 1_000 });
    const [held, other] = await service.live(2);
    await holder.run(lockMirror, held.seen.id);
    const call = service.setMirror(held, address);
    await untilWaiting(service.database, call);
    const faults = await Promise.all([1, 2].map(() => rejection(service.set(other as Live, address))));
    for (const fault of faults) expect(fault).to.be.instanceOf(Unavailable);
    await holder.rollback();
    expect(await call).to.include({ targetUrl: address });
    await expectServed([other as Live], 10);
  });
});
