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

  it('a call that waits too long for a connection or for its statement is Unavailable', async () => {
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

  it('an update that finds its connection read-only drops it, and the next one is made', async () => {
    const { admin, name } = service.database;
    const live = await service.campaign();
    const { set } = await service.another({ ...patient, size: 1 });
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    expect(await rejection(set(live, address))).to.have.nested.property('cause.code', '25006');
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    expect(await set(live, address)).to.have.property('kind', 'mirror-set');
  });

  it('on a network that freezes, calls are Unavailable in time, and no connection is lost', async () => {
    const { proxy, live, through } = await behindProxy();
    const impatient = await through({ waitTimeout: 700, statementTimeout: 0, queryTimeout: 700 });
    // First with new connections only, then with those that it has.
    for (let time = 1; time <= 2; time++) {
      proxy.freeze();
      const calls = Array.from({ length: 5 }, () => rejection(impatient.set(live, address)));
      for (const fault of await Promise.all(calls)) expect(fault).to.be.instanceOf(Unavailable);
      proxy.thaw();
      await untilServed(impatient, live);
    }
    const { pool } = impatient;
    const all = await allOf(pool, 2);
    for (const client of all) client.release();
    expect([pool.totalCount, pool.idleCount, pool.waitingCount]).to.deep.equal([2, 2, 0]);
    await impatient.close();
    await proxy.close();
  });

  it('on a network that resets or refuses connections, calls are Unavailable, and then served again', async () => {
    const { proxy, live, through } = await behindProxy();
    const waiting = await through(patient);
    const holder = await service.hold(lockMirror, live.seen.id);
    const call = rejection(waiting.set(live, address));
    await untilWaiting(service.database, call);
    proxy.cut();
    expect(await call).to.be.instanceOf(Unavailable);
    await holder.rollback();
    await untilServed(waiting, live);
    await proxy.refuse();
    expect(await rejection(waiting.set(live, address))).to.be.instanceOf(Unavailable);
    await proxy.accept();
    await untilServed(waiting, live);
    await waiting.close();
    await proxy.close();
  });

  async function behindProxy() {
    const proxy = await tcpProxy(service.database.address('service'));
    const { host, port } = proxy;
    const through = (limits: Parameters<typeof serviceOn>[1]) =>
      serviceOn({ ...service.database.address('service'), host, port }, { ...limits, size: 2 });
    return { proxy, live: await service.campaign(), through };
  }
});

/** Tight limits can be exceeded on a busy machine, too. */
async function untilServed({ set }: Pick<Service, 'set'>, live: Live): Promise<void> {
  await eventually('an update that is made', async () =>
    expect(await set(live, address).catch((fault: unknown) => fault)).to.have.property('kind', 'mirror-set'),
  );
}

/** So many connections at once. */
function allOf(pool: Service['pool'], size: number) {
  const taken = Array.from({ length: size }, () =>
    eventually('a connection', () => pool.connect().catch(() => expect.fail('it is too late'))),
  );
  return Promise.all(taken);
}
