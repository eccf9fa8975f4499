import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Page } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, httpService, withHttpService } from '../support/http/service.ts';

const long = 600_000;
/** Milliseconds after which what is left gets 503. */
const short = 100;
const never = new Promise<void>(() => {});

describe('contract: life — drain', () => {
  const data = withHttpService();
  let service: HttpService;
  let holder: Rival | undefined;
  beforeEach(async () => {
    service = await httpService({ beside: data() });
  });
  afterEach(async () => {
    await holder?.rollback();
    holder = undefined;
    await service.stop();
  });

  /** A connection on which a request waits for the mirror that a rival holds. */
  async function underWay(...behind: (string | Buffer)[]): Promise<RawConnection> {
    holder ??= await rival(service.database);
    const { own } = service.campaigns;
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', own);
    const connection = await RawConnection.open(service.port);
    void connection.send(
      Buffer.concat([requestBytes(service), ...behind.map((bytes) => Buffer.from(bytes))]),
    );
    await untilWaiting(service.database, never);
    return connection;
  }

  /** A connection with a request whose body is not complete. */
  async function bodyIsComing(): Promise<RawConnection> {
    const connection = await RawConnection.open(service.port);
    const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
    await connection.send(bytes.subarray(0, -5));
    expect((await connection.response()).status).to.equal(100);
    return connection;
  }

  async function letGo() {
    await holder?.commit();
    holder = undefined;
  }

  it('contract: life — what is under way is answered with Connection: close, a body that comes waited for', async () => {
    const [waiting, sending] = [await underWay(), await bodyIsComing()];
    const drained = service.server.drain(long);
    await letGo();
    await sending.send(requestBytes(service).subarray(-5));
    for (const connection of [waiting, sending]) {
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([200, 'close']);
      expect(await connection.closed()).to.equal('');
      expect(connection.error).to.equal(undefined);
    }
    expect(await drained).to.have.length(0);
  });

  it('contract: life — connections that idle, or were never used, are closed at once', async () => {
    const busy = await underWay();
    const idle = await RawConnection.open(service.port);
    await idle.send(requestBytes(service, { campaign: 424242 }));
    expect((await idle.response()).status).to.equal(404);
    const unused = await RawConnection.open(service.port);
    const drained = service.server.drain(long);
    for (const connection of [idle, unused]) {
      expect(await connection.closed()).to.equal('');
      expect(connection.error).to.equal(undefined);
    }
    await letGo();
    expect((await busy.response()).status).to.equal(200);
    expect(await drained).to.have.length(0);
  });

  it('contract: life — what is left at the timeout gets 503, is counted, and nothing behind it is carried out', async () => {
    const behind = requestBytes(service, { headers: { 'X-Request-Id': 'behind' } });
    const connections = [await underWay(), await underWay(behind), await bodyIsComing()];
    const drained = service.server.drain(short);
    for (const connection of connections) {
      const { status, headers, body } = await connection.response();
      expect([status, headers.connection, headers['retry-after']]).to.deep.equal([503, 'close', '1']);
      expect(body).to.equal('{"message":"Service Unavailable"}');
    }
    for (const connection of connections) expect(await connection.closed()).to.equal('');
    await letGo();
    expect((await drained).map(({ status }) => status)).to.deep.equal([503, 503, 503]);
    expect(service.log.requests.filter(({ status }) => status === 503)).to.have.length(3);
    // Whatever else waited for the mirror has had its turn before this.
    expect((await ask(data())).status).to.equal(200);
    const history = await service.world.others.history(service.campaigns.own);
    expect(history.map(({ requestId }) => requestId)).not.to.include('behind');
  });

  it('contract: life — headers that do not end are cut off at the timeout, and count for nothing', async () => {
    const connection = await RawConnection.open(service.port);
    await servesOn(service, connection);
    await connection.send('POST / HTTP/1.1\r\nHost');
    const drained = service.server.drain(short);
    expect(await drained).to.have.length(0);
    expect(await connection.closed()).to.equal('');
  });

  it('contract: life — headers that are still coming when the drain begins are waited for', async () => {
    const bytes = requestBytes(service, { campaign: 424242 });
    const [used, fresh] = [await RawConnection.open(service.port), await RawConnection.open(service.port)];
    await servesOn(service, used);
    for (const connection of [used, fresh]) await connection.send(bytes.subarray(0, 20));
    // These bytes are read before those of a request that comes later.
    expect((await ask(service, { campaign: 424242 })).status).to.equal(404);
    const drained = service.server.drain(long);
    // It reads what has arrived, for two turns, before the listener closes.
    for (let turns = 0; turns < 3; turns++) await nextTurn();
    const refused = await RawConnection.open(service.port).catch((error) => error.code);
    expect(refused).to.equal('ECONNREFUSED');
    for (const connection of [used, fresh]) {
      await connection.send(bytes.subarray(20));
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([404, 'close']);
    }
    expect(await drained).to.have.length(0);
  });

  it('contract: life — a request that was received before the drain begins is answered', async () => {
    const connection = await RawConnection.open(service.port);
    await servesOn(service, connection);
    // In the kernel's hands; a turn later it is in the service's.
    await connection.send(requestBytes(service, { campaign: 424242 }));
    const drained = service.server.drain(long);
    const { status, headers } = await connection.response();
    expect([status, headers.connection]).to.deep.equal([404, 'close']);
    expect(await drained).to.have.length(0);
  });

  it('contract: life — what is refused behind a request under way does not hold the drain up', async () => {
    const behind = ['garbage\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'];
    const connections = [];
    for (const bytes of behind) connections.push(await underWay(bytes));
    const drained = service.server.drain(long);
    await letGo();
    for (const connection of connections) {
      expect((await connection.response()).status).to.equal(200);
      await connection.closed();
    }
    expect(await drained).to.have.length(0);
  });
});

describe('contract: life — an answer that is on its way when the drain begins', () => {
  /** More than all buffers between the service and a caller hold. */
  const large = new Page('application/octet-stream', Buffer.alloc(16_000_000));
  const service = withHttpService({ pages: new Map([['/large', large]]) });
  const agent = new Agent({ keepAlive: true });
  after(() => agent.destroy());

  it('contract: life — is sent whole, then its connection closes', async () => {
    const sent = get({ port: service().port, host: '127.0.0.1', path: '/large', agent });
    const [response] = await once(sent, 'response');
    expect(response.headers.connection).to.equal('keep-alive');
    const drained = service().server.drain(long);
    expect(await buffer(response)).to.have.length(large.content.length);
    expect(await drained).to.have.length(0);
  });
});
