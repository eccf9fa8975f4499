import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import {
  openDatabase,
  PostgresAccessKeys,
  PostgresAudit,
  PostgresCampaignRecords,
  PostgresSettings,
} from '@campaign-mirror/adapters-persistence';
import {
  type AccessKeyId,
  accessKeyBytes,
  accessKeyFrom,
  type CampaignId,
  keySubject,
  Unavailable,
} from '@campaign-mirror/domain';
import { expect } from 'chai';
import { PostgresCampaigns } from '../../packages/adapters-persistence/src/hot-path/campaigns.ts';
import { PostgresIdentity } from '../../packages/adapters-persistence/src/hot-path/identity.ts';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { serverAddress } from '../support/database/database-server.ts';
import { rival, untilWaiting } from '../support/database/rival.ts';
import { type TcpProxy, tcpProxy } from '../support/database/tcp-proxy.ts';
import { rejection } from '../support/faults.ts';
import { type LiveService, liveService, type Service, serviceOn } from '../support/process/live-service.ts';
import { liveServiceOf } from '../support/process/lives.ts';
import { hotPathOn } from '../support/store/hot-paths.ts';
import { named, tester } from '../support/store/operator.ts';
import { before as beforehand, change, type Live, newOwner } from '../support/store/world.ts';

const address = 'https://example.com/new';
const patient = { size: 6, waitTimeout: 30_000, statementTimeout: 30_000, queryTimeout: 30_000 };

describe(`contract: answers — its pool is bounded`, () => {
  const service = liveServiceOf('suite');

  it('a call waits for a connection no longer than it may, and is served when there is one', async () => {
    const live = await service.campaign();
    const { pool, set } = await service.another({ ...patient, waitTimeout: 1_000 });
    const taken = await Promise.all(Array.from({ length: patient.size }, () => pool.connect()));
    expect(await rejection(set(live, address))).to.be.instanceOf(Unavailable);
    expect(pool.waitingCount).to.equal(0);
    for (const client of taken) client.release();
    expect(await set(live, address)).to.have.property('kind', 'mirror-set');
  });

  it('a statement is ended by the server when it takes too long, and nothing is written', async () => {
    const live = await service.campaign();
    const { set } = await service.another({ ...patient, statementTimeout: 1_000 });
    const holder = await rival(service.database);
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', live.seen.id);
    const fault = await rejection(set(live, address));
    await holder.rollback();
    expect(fault).to.be.instanceOf(Unavailable).and.to.have.nested.property('cause.code', '57014');
    expect(await service.world.others.mirror(live.seen.id)).to.deep.equal(live.mirror);
    expect(await set(live, address)).to.have.property('kind', 'mirror-set');
  });

  it('connections that are cut while requests wait on them are Unavailable, and the pool is whole again', async () => {
    const lives = [await service.campaign(), await service.campaign(), await service.campaign()];
    const another = await service.another(patient);
    const holder = await rival(service.database);
    await holder.run('select from campaign_mirror.mirrors for update');
    const calls = lives.map((live) => rejection(another.set(live, address)));
    await untilWaiting(service.database, Promise.all(calls), 3);
    await service.database.admin.query(cutService);
    for (const fault of await Promise.all(calls)) expect(fault).to.be.instanceOf(Unavailable);
    await holder.rollback();
    await expectServing(another, lives[0] as Live);
    await expectWhole(another, patient.size);
  });

  it('connections that are cut again and again: successes and Unavailable only, and the pool is whole again', async () => {
    const live = await service.campaign();
    const another = await service.another(patient);
    const { set } = another;
    const worker = async (name: number) => {
      for (let at = 0; at < 100; at++) {
        const answer = await set(live, `${address}/${name}/${at}`).catch((fault) => fault);
        if (!(answer instanceof Unavailable)) expect(answer).to.have.property('kind', 'mirror-set');
      }
    };
    let working = true;
    const work = Promise.all([worker(0), worker(1), worker(2)]).finally(() => {
      working = false;
    });
    const cutting = (async () => {
      while (working) await service.database.admin.query(cutService);
    })();
    await Promise.all([work, cutting]);
    await expectServing(another, live);
    await expectWhole(another, patient.size);
  });

  const cutService = `
  select pg_terminate_backend(pid, 10000) from pg_stat_activity
  where datname = current_database() and usename = 'campaign_mirror_service'`;
});
describe('contract: answers — the network between', () => {
  let service: LiveService;
  let proxy: TcpProxy;
  /** Whose bounds are what is waited for. */
  let through: Service;
  /** Where the fault is told at once: a new connection may take as long as the machine needs. */
  let withoutTimeouts: Service;

  before(async () => {
    service = await liveService();
    proxy = await tcpProxy(serverAddress());
  });
  beforeEach(async () => {
    const limits = { size: 2, waitTimeout: 2_000, statementTimeout: 0, queryTimeout: 2_000 };
    const behindProxy = { ...service.database.address('service'), host: '127.0.0.1', port: proxy.port };
    through = await serviceOn(behindProxy, limits);
    withoutTimeouts = await serviceOn(behindProxy, { ...patient, size: 2 });
  });
  afterEach(() => Promise.all([through.close(), withoutTimeouts.close()]));
  after(async () => {
    await proxy.close();
    await service.close();
  });

  it('stops to answer: Unavailable within the bounds, and serving when it answers again', async () => {
    const live = await service.campaign();
    await through.set(live, address);
    proxy.freeze();
    const calls = Array.from({ length: 5 }, () => rejection(through.set(live, address)));
    for (const fault of await Promise.all(calls)) expect(fault).to.be.instanceOf(Unavailable);
    proxy.thaw();
    expect(await through.set(live, address)).to.have.property('kind', 'mirror-set');
    await expectWhole(through, 2);
  });

  it('accepts connections and says nothing: Unavailable within the bounds', async () => {
    const live = await service.campaign();
    proxy.freeze();
    expect(await rejection(through.set(live, address))).to.be.instanceOf(Unavailable);
    proxy.thaw();
    expect(await through.set(live, address)).to.have.property('kind', 'mirror-set');
  });

  it('resets connections: Unavailable or a new connection, and serving again', async () => {
    const live = await service.campaign();
    await withoutTimeouts.set(live, address);
    const holder = await rival(service.database);
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', live.seen.id);
    const call = rejection(withoutTimeouts.set(live, address));
    await untilWaiting(service.database, call);
    proxy.cut();
    expect(await call).to.be.instanceOf(Unavailable);
    await holder.rollback();
    expect(await withoutTimeouts.set(live, address)).to.have.property('kind', 'mirror-set');
  });

  it('refuses connections: Unavailable, and serving again', async () => {
    const live = await service.campaign();
    await withoutTimeouts.set(live, address);
    await proxy.refuse();
    for (const one of [through, withoutTimeouts, through, withoutTimeouts]) {
      expect(await rejection(one.set(live, address))).to.be.instanceOf(Unavailable);
    }
    await proxy.accept();
    expect(await withoutTimeouts.set(live, address)).to.have.property('kind', 'mirror-set');
  });
});

describe('contract: answers — database away: every call of every port is Unavailable', () => {
  const limits = { size: 20, waitTimeout: 1_000, statementTimeout: 0, queryTimeout: 1_000 };

  it('when connections are refused', async () => {
    const proxy = await tcpProxy(serverAddress());
    await proxy.refuse();
    await expectUnavailable(proxy);
  });

  it('when connections are accepted and cut', async () => {
    const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    await expectUnavailable(silent.address() as AddressInfo).finally(() => silent.close());
  });

  it('when the server says nothing', async () => {
    const proxy = await tcpProxy(serverAddress());
    proxy.freeze();
    await expectUnavailable(proxy).finally(() => proxy.close());
  });

  async function expectUnavailable({ port }: { port: number }): Promise<void> {
    const nowhere = { host: '127.0.0.1', port, user: 'nobody', password: 'none', database: 'nothing' };
    const { orm, pool, close } = await openDatabase(nowhere, limits);
    const statements = new Statements(pool);
    const settings = new PostgresSettings(orm, tester);
    const records = new PostgresCampaignRecords(pool);
    const keys = new PostgresAccessKeys(orm, tester);
    const seen = { id: 1 as CampaignId, ownerId: newOwner(), isDefault: false, hasMirror: true };
    const keyId = 1 as AccessKeyId;
    const by = { ownerId: seen.ownerId, subject: keySubject(keyId) };
    const calls: Record<string, () => Promise<unknown>> = {
      createCampaign: () => settings.createCampaign({ owner: seen.ownerId, isDefault: true }),
      createMirror: () => settings.createMirror(seen.id, beforehand),
      transfer: () => settings.transfer(seen.id, seen.ownerId),
      setDefault: () => settings.setDefault(seen.id, true),
      deleteCampaign: () => settings.deleteCampaign(seen.id),
      'find a record': () => records.find(seen.id),
      'list records': () => records.list({ limit: 1 }),
      listMirrors: () => records.listMirrors({ limit: 1 }),
      'list the audit': () => new PostgresAudit(pool).list({ limit: 1 }),
      issue: () => keys.issue({ owner: seen.ownerId, name: named('key') }),
      revoke: () => keys.revoke(keyId),
    };
    const hotPath = hotPathOn(statements, limits);
    const campaigns = new PostgresCampaigns(hotPath);
    const key = accessKeyFrom(new Uint8Array(accessKeyBytes));
    calls.find = () => campaigns.find(seen.id);
    calls.setMirror = () => campaigns.setMirror(seen, change(by));
    calls.whoIs = () => new PostgresIdentity(hotPath).whoIs(key);
    const faults = await Promise.all(Object.values(calls).map((call) => rejection(call())));
    for (const [at, name] of Object.keys(calls).entries()) {
      expect(faults[at], name).to.be.instanceOf(Unavailable);
    }
    await close();
  }
});

/** Of a cut that we have not heard of yet each connection tells once; from then on every call is served. */
async function expectServing({ pool, set }: Service, live: Live): Promise<void> {
  const all = await Promise.all(Array.from({ length: patient.size }, () => pool.connect()));
  for (const client of all) {
    client.release((await client.query('select').catch(() => undefined)) === undefined);
  }
  expect(await set(live, address)).to.have.property('kind', 'mirror-set');
}

/** No connection is lost: as many as there may be can be had at once, and nobody waits. */
async function expectWhole({ pool }: Service, size: number): Promise<void> {
  const all = await Promise.all(Array.from({ length: size }, () => pool.connect()));
  expect([pool.totalCount, pool.idleCount, pool.waitingCount]).to.deep.equal([size, 0, 0]);
  for (const client of all) client.release();
  expect([pool.totalCount, pool.idleCount, pool.waitingCount]).to.deep.equal([size, size, 0]);
}
