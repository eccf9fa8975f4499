import { Unavailable } from '@campaign-mirror/domain';
import { expect } from 'chai';
import { patient } from '../support/database/patient.ts';
import { lockMirror, untilWaiting } from '../support/database/rival.ts';
import { tcpProxy } from '../support/database/tcp-proxy.ts';
import { groupedOf } from '../support/process/lives.ts';
import { eventually, rejection } from '../support/promises.ts';
import { type Service, serviceOn } from '../support/store/grouped.ts';
import type { Live } from '../support/store/world.ts';

const address = 'https://example.com/new';

describe('contract: answers — a database that is slow, cut off or away', () => {
  const service = groupedOf('suite');

  it('a call waits for a connection, and for its statement, no longer than it may; then it is served again', async () => {
    const live = await service.campaign();
    const limits = { size: 2, waitTimeout: 500, statementTimeout: 500 };
    const { pool, set } = await service.another(limits);
    const taken = await allOf(pool, limits.size);
    expect(await rejection(set(live, address))).to.be.instanceOf(Unavailable);
    expect(pool.waitingCount).to.equal(0);
    for (const client of taken) client.release();

    const holder = await service.hold(lockMirror, live.seen.id);
    const fault = await rejection(set(live, address));
    await holder.rollback();
    expect(fault).to.be.instanceOf(Unavailable).and.to.have.nested.property('cause.code', '57014');
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(live.mirror);
    await untilServed({ set }, live);
  });

  it('a connection that takes no writes is dropped by the update that finds out: the next one is made', async () => {
    const { admin, name } = service.database;
    const live = await service.campaign();
    const { set } = await service.another({ ...patient, size: 1 });
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    // Whom the key belongs to is found, on the same connection.
    expect(await rejection(set(live, address))).to.have.nested.property('cause.code', '25006');
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    expect(await set(live, address)).to.have.property('kind', 'mirror-set');
  });

  it('a network that stops, is silent, resets or refuses: Unavailable within the bounds, and serving again', async () => {
    const proxy = await tcpProxy(service.database.address('service'));
    const behindProxy = { ...service.database.address('service'), host: '127.0.0.1', port: proxy.port };
    const limits = { size: 2, waitTimeout: 700, statementTimeout: 0, queryTimeout: 700 };
    const impatient = await serviceOn(behindProxy, limits);
    /** Where the fault is told at once: a new connection may take as long as the machine needs. */
    const waiting = await serviceOn(behindProxy, { ...patient, size: 2 });
    const live = await service.campaign();

    // With new connections only, and with those that it has.
    for (let time = 1; time <= 2; time++) {
      proxy.freeze();
      const calls = Array.from({ length: 5 }, () => rejection(impatient.set(live, address)));
      for (const fault of await Promise.all(calls)) expect(fault).to.be.instanceOf(Unavailable);
      proxy.thaw();
      await untilServed(impatient, live);
    }
    await expectWhole(impatient, 2);

    const holder = await service.hold(lockMirror, live.seen.id);
    const call = rejection(waiting.set(live, address));
    await untilWaiting(service.database, call);
    proxy.cut();
    expect(await call).to.be.instanceOf(Unavailable);
    await holder.rollback();
    await untilServed(waiting, live);

    await proxy.refuse();
    for (const one of [impatient, waiting, impatient, waiting]) {
      expect(await rejection(one.set(live, address))).to.be.instanceOf(Unavailable);
    }
    await proxy.accept();
    await untilServed(waiting, live);
    await impatient.close();
    await waiting.close();
    await proxy.close();
  });
});

/** Whose bounds are tight is late also for a machine that is busy. */
async function untilServed({ set }: Pick<Service, 'set'>, live: Live): Promise<void> {
  await eventually('an update that is made', async () =>
    expect(await set(live, address).catch((fault: unknown) => fault)).to.have.property('kind', 'mirror-set'),
  );
}

/** So many connections at once. The bounds are tight: a slow machine may need several tries. */
function allOf(pool: Service['pool'], size: number) {
  const taken = Array.from({ length: size }, () =>
    eventually('a connection', () => pool.connect().catch(() => expect.fail('it is too late'))),
  );
  return Promise.all(taken);
}

/** No connection is lost: as many as there may be can be had at once, and nobody waits. */
async function expectWhole({ pool }: Service, size: number): Promise<void> {
  const all = await allOf(pool, size);
  expect([pool.totalCount, pool.idleCount, pool.waitingCount]).to.deep.equal([size, 0, 0]);
  for (const client of all) client.release();
  expect([pool.totalCount, pool.idleCount, pool.waitingCount]).to.deep.equal([size, size, 0]);
}
