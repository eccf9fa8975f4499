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
/** More than all buffers between the service and a caller hold. */
const large = new Page('application/octet-stream', Buffer.alloc(16_000_000));

describe('contract: life: drain', () => {
  const data = withHttpService();
  let service: HttpService;
  let holder: Rival | undefined;
  beforeEach(async () => {
    service = await httpService({ beside: data(), pages: new Map([['/large', large]]) });
  });
  afterEach(async () => {
    await holder?.rollback();
    holder = undefined;
    await service.stop();
  });
  const open = () => RawConnection.open(service.port);

  /** A connection on which a request waits for the mirror that a rival holds. */
  async function underWay(behind: string | Buffer = ''): Promise<RawConnection> {
    holder ??= await rival(service.database);
    const { own } = service.campaigns;
    await holder.run('select from campaign_mirror.mirrors where campaign_id = $1 for update', own);
    const connection = await open();
    void connection.send(Buffer.concat([requestBytes(service), Buffer.from(behind)]));
    await untilWaiting(service.database, never);
    return connection;
  }

  /** A connection with a request whose body is not complete. */
  async function bodyIsComing(): Promise<RawConnection> {
    const connection = await open();
    const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
    await connection.send(bytes.subarray(0, -5));
    expect((await connection.response()).status).to.equal(100);
    return connection;
  }

  async function letGo() {
    await holder?.commit();
    holder = undefined;
  }

  it('what is under way is answered with Connection: close, a body that comes waited for, idle ones closed at once', async () => {
    const [waiting, sending, idle, unused] = [
      await underWay(),
      await bodyIsComing(),
      await open(),
      await open(),
    ];
    await idle.send(requestBytes(service, { campaign: 424242 }));
    expect((await idle.response()).status).to.equal(404);
    const drained = service.server.drain(long);
    for (const connection of [idle, unused]) expect(await connection.closed()).to.equal('');
    await letGo();
    await sending.send(requestBytes(service).subarray(-5));
    for (const connection of [waiting, sending]) {
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([200, 'close']);
      expect(await connection.closed()).to.equal('');
    }
    for (const { error } of [waiting, sending, idle, unused]) expect(error).to.equal(undefined);
    expect(await drained).to.have.length(0);
  });

  it('what is left at the timeout gets 503, is counted, and nothing behind it is carried out', async () => {
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

  it('headers that do not end are cut off at the timeout, and count for nothing', async () => {
    const connection = await open();
    await servesOn(service, connection);
    await connection.send('POST / HTTP/1.1\r\nHost');
    expect(await service.server.drain(short)).to.have.length(0);
    expect(await connection.closed()).to.equal('');
  });

  it('headers that are still coming, or that nobody has read yet, are waited for; the listener closes', async () => {
    const bytes = requestBytes(service, { campaign: 424242 });
    const [used, fresh, received] = [await open(), await open(), await open()];
    await servesOn(service, used);
    await servesOn(service, received);
    for (const connection of [used, fresh]) await connection.send(bytes.subarray(0, 20));
    // These bytes are read before those of a request that comes later.
    expect((await ask(service, { campaign: 424242 })).status).to.equal(404);
    // In the kernel's hands; a turn later it is in the service's.
    await received.send(bytes);
    const drained = service.server.drain(long);
    // It reads what has arrived, for two turns, before the listener closes.
    for (let turns = 0; turns < 3; turns++) await nextTurn();
    expect(await open().catch((error) => error.code)).to.equal('ECONNREFUSED');
    for (const connection of [used, fresh]) await connection.send(bytes.subarray(20));
    for (const connection of [used, fresh, received]) {
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([404, 'close']);
    }
    expect(await drained).to.have.length(0);
  });

  it('what is refused behind a request under way does not hold it up', async () => {
    const connections = [
      await underWay('garbage\r\n\r\n'),
      await underWay('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'),
    ];
    const drained = service.server.drain(long);
    await letGo();
    for (const connection of connections) {
      expect((await connection.response()).status).to.equal(200);
      await connection.closed();
    }
    expect(await drained).to.have.length(0);
  });

  it('an answer that is on its way is sent whole, then its connection closes', async () => {
    const agent = new Agent({ keepAlive: true });
    const sent = get({ port: service.port, host: '127.0.0.1', path: '/large', agent });
    const [response] = await once(sent, 'response');
    expect(response.headers.connection).to.equal('keep-alive');
    const drained = service.server.drain(long);
    expect(await buffer(response)).to.have.length(large.content.length);
    expect(await drained).to.have.length(0);
    agent.destroy();
  });
});
