import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Rival, rival, untilWaiting } from '../support/database/rival.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, httpService, withHttpService } from '../support/http/service.ts';

const long = 600_000;
/** Milliseconds after which what is left gets 503. */
const short = 100;
const never = new Promise<void>(() => {});

/** Of a drain that has just begun: it reads what has arrived, for two turns, before the listener closes. */
async function begun() {
  for (let turns = 0; turns < 3; turns++) await nextTurn();
}

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

  async function letGo() {
    await holder?.commit();
    holder = undefined;
  }

  it('contract: life — what is under way is answered with Connection: close', async () => {
    const connection = await underWay();
    const drained = service.server.drain(long);
    await letGo();
    const { status, headers } = await connection.response();
    expect([status, headers.connection]).to.deep.equal([200, 'close']);
    expect(await connection.closed()).to.equal('');
    expect(connection.error).to.equal(undefined);
    expect(await drained).to.have.length(0);
  });

  it('contract: life — the listener closes at once', async () => {
    const connection = await underWay();
    const drained = service.server.drain(long);
    await begun();
    const refused = await RawConnection.open(service.port).catch((error) => error.code);
    expect(refused).to.equal('ECONNREFUSED');
    await letGo();
    expect((await connection.response()).status).to.equal(200);
    await drained;
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

  it('contract: life — what is left at the timeout gets 503, and is counted', async () => {
    const connections = [await underWay(), await underWay(requestBytes(service))];
    const drained = service.server.drain(short);
    const answers = [];
    for (const connection of connections) answers.push(await connection.response());
    for (const answer of answers) {
      expect([answer.status, answer.headers.connection]).to.deep.equal([503, 'close']);
      expect(answer.headers['retry-after']).to.equal('1');
      expect(answer.body).to.equal('{"message":"Service Unavailable"}');
    }
    for (const connection of connections) expect(await connection.closed()).to.equal('');
    expect((await drained).map(({ status }) => status)).to.deep.equal([503, 503]);
    expect(service.log.requests.filter(({ status }) => status === 503)).to.have.length(2);
  });

  it('contract: life — a request that is behind one of those is not carried out any more', async () => {
    const headers = { 'X-Request-Id': 'behind' };
    const connection = await underWay(requestBytes(service, { headers }));
    const drained = service.server.drain(short);
    expect((await connection.response()).status).to.equal(503);
    await letGo();
    await drained;
    // Whatever else waited for the mirror has had its turn before this.
    expect((await ask(data())).status).to.equal(200);
    const history = await service.world.others.history(service.campaigns.own);
    expect(history.map(({ requestId }) => requestId)).not.to.include('behind');
  });

  it('contract: life — a body that is still coming when the drain begins is waited for', async () => {
    const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
    const connection = await RawConnection.open(service.port);
    await connection.send(bytes.subarray(0, -5));
    expect((await connection.response()).status).to.equal(100);
    const drained = service.server.drain(long);
    await connection.send(bytes.subarray(-5));
    const { status, headers } = await connection.response();
    expect([status, headers.connection]).to.deep.equal([200, 'close']);
    expect(await drained).to.have.length(0);
  });

  it('contract: life — a body that never comes gets 503 at the timeout', async () => {
    const bytes = requestBytes(service, { headers: { Expect: '100-continue' } });
    const connection = await RawConnection.open(service.port);
    await connection.send(bytes.subarray(0, -5));
    expect((await connection.response()).status).to.equal(100);
    const drained = service.server.drain(short);
    const { status, headers } = await connection.response();
    expect([status, headers.connection]).to.deep.equal([503, 'close']);
    expect(await connection.closed()).to.equal('');
    expect(await drained).to.have.length(1);
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
    await begun();
    const refused = await RawConnection.open(service.port).catch((error) => error.code);
    expect(refused).to.equal('ECONNREFUSED');
    for (const connection of [used, fresh]) {
      await connection.send(bytes.subarray(20));
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([404, 'close']);
    }
    expect(await drained).to.have.length(0);
  });

  it('contract: life — a request that arrives as the drain begins has a whole answer, or no byte of one', async () => {
    const connections = [];
    for (let at = 0; at < 20; at++) {
      const connection = await RawConnection.open(service.port);
      await servesOn(service, connection);
      connections.push(connection);
    }
    for (const connection of connections) void connection.send(requestBytes(service, { campaign: 424242 }));
    const drained = service.server.drain(long);
    for (const connection of connections) {
      const answer = await connection.response().catch((error) => error.message);
      if (typeof answer === 'string') expect(answer).to.equal('closed after ""');
      else expect([answer.status, answer.headers.connection]).to.deep.equal([404, 'close']);
      expect(await connection.closed()).to.equal('');
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

  for (const behind of ['garbage\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n']) {
    it(`contract: life — ${behind.slice(0, 7)} behind what is under way does not hold the drain up`, async () => {
      const connection = await underWay(behind);
      const drained = service.server.drain(long);
      await letGo();
      expect((await connection.response()).status).to.equal(200);
      await connection.closed();
      expect(await drained).to.have.length(0);
    });
  }
});
