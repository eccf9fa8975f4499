import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { cancelWaiting, lockMirror, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { type Service, transfer } from '../support/store/grouped.ts';
import { type Live, newOwner } from '../support/store/world.ts';

const address = 'https://example.com/new';

describe('updates while another session locks a campaign or a mirror', () => {
  const data = groupedOf('suite');
  let service: Service;
  const serving = async (options: Parameters<typeof data.another>[0] = {}) => {
    service = await data.another(options);
  };
  const setAll = (lives: readonly Live[]) =>
    Promise.all(lives.map((live) => service.setMirror(live, address)));
  const connectionsInUse = () => service.pool.totalCount - service.pool.idleCount;

  /** More calls than a batch may have. */
  async function expectServed(lives: readonly Live[], calls = 200): Promise<void> {
    const all = Array.from({ length: calls }, (_, nth) =>
      service.set(lives[nth % lives.length] as Live, address),
    );
    for (const outcome of await Promise.all(all)) expect(outcome).to.have.property('kind', 'mirror-set');
  }

  it('wait for it; all others are answered, strangers refused, even on a pool of two', async () => {
    await serving({ size: 2 });
    const [given, locked, ...others] = await data.live(8);
    const holder = await data.hold(transfer, given.seen.id, newOwner());
    await holder.run(lockMirror, locked.seen.id);
    const callers = Array.from({ length: 64 }, () => service.set(locked, address));
    const held = Promise.all([service.set(given, address), ...callers]);
    await expectServed(others);
    await untilWaiting(data.database, held);
    await expectServed(others);
    const refused = { kind: 'refused', because: 'not-the-owner' };
    // If they waited for the holder, this would never end.
    for (const { key } of others)
      expect(await service.set({ key, seen: locked.seen }, address)).to.deep.equal(refused);
    expect(connectionsInUse()).to.equal(1);
    await holder.commit();
    const [transferred, ...set] = await held;
    expect(transferred).to.deep.equal(refused);
    for (const one of set) expect(one).to.have.property('kind', 'mirror-set');
    expect(await data.history(given)).to.deep.equal([]);
    expect(await data.history(locked)).to.have.length(64);
    expect([connectionsInUse(), service.pool.waitingCount]).to.deep.equal([0, 0]);
  });

  it('of one mirror wait on one connection, are made in their order, and get the time of their lock', async () => {
    await serving();
    const [held, ...others] = await data.live(4);
    const holder = await data.hold(lockMirror, held.seen.id);
    const first = service.setMirror(held, `${address}/0`);
    await untilWaiting(data.database, first);
    const later = Array.from({ length: 20 }, (_, nth) => service.setMirror(held, `${address}/${nth + 1}`));
    for (const mirror of await setAll(others)) expect(mirror).to.include({ targetUrl: address });
    expect(connectionsInUse()).to.equal(1);
    const free = await data.world.others.clock();
    await holder.rollback();
    await Promise.all([first, ...later]);
    const rows = await data.history(held);
    expect(String(rows[0]?.changedAt) > free).to.equal(true);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(rows.map((_, nth) => `${address}/${nth}`));
    const waits = service.ran.filter((name) => name === 'set-locked-mirror');
    expect(waits).to.have.length(21);
  });

  it('of too many mirrors are Unavailable after the timeout, and write nothing', async () => {
    await serving({ size: 4, waitTimeout: 3_000 });
    const [free, ...held] = await data.live(7);
    const rest = 'select from campaign_mirror.mirrors where campaign_id <> $1 for update';
    const holder = await data.hold(rest, free.seen.id);
    const waiting = setAll(held.slice(0, 2));
    await untilWaiting(data.database, waiting, 2);
    const beyond = await Promise.all(held.map((live) => rejection(service.setMirror(live, address))));
    for (const fault of beyond) expect(fault).to.be.instanceOf(Unavailable);
    expect(await service.setMirror(free, address)).to.include({ targetUrl: address });
    await holder.rollback();
    for (const mirror of await waiting) expect(mirror).to.include({ targetUrl: address });
    expect(await data.history(...held)).to.have.length(2);
    for (const mirror of await setAll(held)) expect(mirror).to.include({ targetUrl: address });
  });

  it('that PostgreSQL ends after too long a wait are Unavailable', async () => {
    await serving();
    const held = await data.campaign();
    const holder = await data.hold(lockMirror, held.seen.id);
    const fault = rejection(service.set(held, address));
    await untilWaiting(data.database, fault);
    await cancelWaiting(data.database);
    expect(await fault)
      .to.be.instanceOf(Unavailable)
      .and.to.have.nested.property('cause.code', '57014');
    await holder.rollback();
  });
});
