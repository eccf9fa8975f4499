import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { staticPage } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { ask, bodyIsComing, heldUp, lastBytes, requestBytes, servesOn } from '../support/http/request.ts';
import { type HttpService, httpService, withHttpService } from '../support/http/service.ts';

const long = 600_000;
/** Milliseconds after which what is left gets 503. */
const short = 100;
/** More than all buffers between the service and a caller hold. */
const large = Buffer.alloc(16_000_000);

describe('contract: life: drain', () => {
  const data = withHttpService();
  let service: HttpService;
  beforeEach(async () => {
    service = await httpService(
      { pages: new Map([['/large', staticPage('application/octet-stream', large)]]) },
      data(),
    );
  });
  afterEach(() => service.stop());
  const open = () => RawConnection.open(service.port);

  async function expectAnswers(connections: readonly RawConnection[], expected: number) {
    for (const connection of connections) {
      const { status, headers } = await connection.response();
      expect([status, headers.connection]).to.deep.equal([expected, 'close']);
      expect(await connection.closed()).to.equal('');
      expect(connection.error).to.equal(undefined);
    }
  }

  it('what is under way is answered with Connection: close, a body that comes waited for, idle ones closed at once', async () => {
    const { connections, letGo } = await heldUp(service, requestBytes(service));
    const [sending, idle, unused] = [await bodyIsComing(service), await open(), await open()];
    await idle.send(requestBytes(service, { campaign: 424242 }));
    expect((await idle.response()).status).to.equal(404);
    const drained = service.server.drain(long);
    for (const connection of [idle, unused]) expect(await connection.closed()).to.equal('');
    for (const { error } of [idle, unused]) expect(error).to.equal(undefined);
    await letGo();
    await sending.send(lastBytes);
    await expectAnswers([...connections, sending], 200);
    expect(await drained).to.equal(0);
  });

  it('what is left at the timeout gets 503 and is counted; headers that do not end count for nothing', async () => {
    const unfinished = await open();
    await servesOn(service, unfinished);
    const one = requestBytes(service);
    const { connections, letGo } = await heldUp(service, one, one);
    connections.push(await bodyIsComing(service));
    await unfinished.send('POST / HTTP/1.1\r\nHost');
    const drained = service.server.drain(short);
    await expectAnswers(connections, 503);
    expect(await unfinished.closed()).to.equal('');
    await letGo();
    expect(await drained).to.equal(3);
    expect(service.log.requests.filter(({ status }) => status === 503)).to.have.length(3);
  });

  it('headers that are still coming, or that nobody has read yet, are waited for; the listener closes', async () => {
    const bytes = requestBytes(service, { campaign: 424242 });
    const [used, fresh, received] = [await open(), await open(), await open()];
    for (const connection of [used, received]) await servesOn(service, connection);
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
    await expectAnswers([used, fresh, received], 404);
    expect(await drained).to.equal(0);
  });

  it('an answer that is on its way is sent whole, then its connection closes', async () => {
    const agent = new Agent({ keepAlive: true });
    const sent = get({ port: service.port, host: '127.0.0.1', path: '/large', agent });
    const [response] = await once(sent, 'response');
    expect(response.headers.connection).to.equal('keep-alive');
    const drained = service.server.drain(long);
    expect(await buffer(response)).to.have.length(large.length);
    expect(await drained).to.equal(0);
    agent.destroy();
  });
});
