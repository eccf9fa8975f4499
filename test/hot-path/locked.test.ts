import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { cancelWaiting, lockMirror, untilWaiting } from '../support/database/rival.ts';
import { groupedOf } from '../support/process/lives.ts';
import { rejection } from '../support/promises.ts';
import { type GroupedOptions, type Service, transfer } from '../support/store/grouped.ts';
import { type Live, newOwner } from '../support/store/world.ts';

const address = 'https://example.com/new';

describe('group commit: while somebody holds a campaign or a mirror', () => {
  const data = groupedOf('suite');
  let service: Service;
  const serving = async (options: GroupedOptions = {}) => {
    service = await data.another(options);
  };

  const setAll = (lives: readonly Live[]) =>
    Promise.all(lives.map((live) => service.setMirror(live, address)));
  const takenConnections = () => service.pool.totalCount - service.pool.idleCount;

  /** More than one batch takes, each set to an address of its own. */
  async function expectServed(lives: readonly Live[], calls = 200): Promise<void> {
    const all = Array.from({ length: calls }, (_, at) =>
      service.set(lives[at % lives.length] as Live, `${address}/${at}`),
    );
    for (const [at, outcome] of (await Promise.all(all)).entries()) {
      expect(outcome).to.have.nested.property('mirror.targetUrl', `${address}/${at}`);
    }
  }

  it('all others are answered, also by a pool of two, and strangers refused; the held ones after the rival, by the facts then', async () => {
    await serving({ size: 2 });
    const [given, locked, ...others] = await data.live(8);
    const holder = await data.hold(transfer, given.seen.id, newOwner());
    await holder.run(lockMirror, locked.seen.id);
    const callers = Array.from({ length: 64 }, (_, at) => service.set(locked, `${address}/${at}`));
    const held = Promise.all([service.set(given, address), ...callers]);
    await expectServed(others);
    await untilWaiting(data.database, held);
    await expectServed(others);
    const strangers = others.map(({ key }) => service.set({ key, seen: locked.seen }, address));
    // If they waited for the holder, this would never end.
    for (const outcome of await Promise.all(strangers))
      expect(outcome).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    expect(takenConnections()).to.equal(1);
    await holder.commit();
    const [refused, ...set] = await held;
    expect(refused).to.deep.equal({ kind: 'refused', because: 'not-the-owner' });
    for (const one of set) expect(one).to.have.property('kind', 'mirror-set');
    expect(await data.history(given)).to.deep.equal([]);
    expect(await data.history(locked)).to.have.length(64);
    expect([takenConnections(), service.pool.waitingCount]).to.deep.equal([0, 0]);
  });

  it('its later updates wait behind it, with no statement of their own in vain, and go in their order when it is free', async () => {
    await serving();
    const [held, ...others] = await data.live(4);
    const holder = await data.hold(lockMirror, held.seen.id);
    const first = service.setMirror(held, `${address}/0`);
    await untilWaiting(data.database, first);
    const later = Array.from({ length: 20 }, (_, at) => service.setMirror(held, `${address}/${at + 1}`));
    for (const other of others)
      expect(await service.setMirror(other, address)).to.include({ targetUrl: address });
    expect(takenConnections()).to.equal(1);
    const free = await data.world.others.clock();
    await holder.rollback();
    await Promise.all([first, ...later]);
    const rows = await data.history(held);
    expect(String(rows[0]?.changedAt) > free, 'the time is taken when the mirror is locked').to.equal(true);
    expect(rows.map((row) => row.addressAfter)).to.deep.equal(rows.map((_, at) => `${address}/${at}`));
    const statements = service.ran.map(({ name }) => name);
    expect(statements).to.deep.equal([
      ...Array(4).fill('set-mirrors'),
      ...Array(21).fill('set-locked-mirror'),
    ]);
  });

  it('more of them than are waited for, for too long: those beyond are Unavailable and nothing is written for them', async () => {
    await serving({ maxLocked: 2, timeout: 50 });
    const [free, ...held] = await data.live(7);
    const rest = 'select from campaign_mirror.mirrors where campaign_id <> $1 for update';
    const holder = await data.hold(rest, free.seen.id);
    const waitedFor = setAll(held.slice(0, 2));
    await untilWaiting(data.database, waitedFor, 2);
    const beyond = await Promise.all(held.map((live) => rejection(service.setMirror(live, address))));
    for (const fault of beyond) expect(fault).to.be.instanceOf(Unavailable);
    expect(await service.setMirror(free, address)).to.include({ targetUrl: address });
    await holder.rollback();
    for (const mirror of await waitedFor) expect(mirror).to.include({ targetUrl: address });
    expect(await data.history(...held)).to.have.length(2);
    for (const mirror of await setAll(held)) expect(mirror).to.include({ targetUrl: address });
  });

  it('too long for the row: it is Unavailable, and the next call with a key that was revoked is told so', async () => {
    await serving();
    const [held] = await data.live(1);
    const holder = await data.hold(lockMirror, held.seen.id);
    for (const call of [service.setMirror, service.set]) {
      const fault = rejection(call(held, address));
      await untilWaiting(data.database, fault);
      await cancelWaiting(data.database);
      expect(await fault)
        .to.be.instanceOf(Unavailable)
        .and.to.have.nested.property('cause.code', '57014');
    }
    await data.world.accessKeys.revoke({ ids: [held.keyId] });
    expect(await service.set(held, address)).to.deep.equal({
      kind: 'unauthenticated',
      because: 'revoked-key',
      subject: held.by.subject,
    });
    await holder.rollback();
  });
});
