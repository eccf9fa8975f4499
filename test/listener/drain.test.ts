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
/** Larger than all buffers between the service and a caller. */
const large = Buffer.alloc(16_000_000);

describe('contract: life: a drain loses no answer', () => {
  const data = withHttpService();
  let service: HttpService;
  beforeEach(async () => {
    const pages = new Map([['/large', staticPage('application/octet-stream', large)]]);
    service = await httpService({ pages }, data());
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

  it('requests in progress get their answers, also if a body is still arriving; idle connections close', async () => {
    const { connections, letGo } = await heldUp(service, requestBytes(service));
    const [sending, used, unused] = [await bodyIsComing(service), await open(), await open()];
    await used.send(requestBytes(service, { campaign: 424242 }));
    expect((await used.response()).status).to.equal(404);
    const drained = service.server.drain(long);
    for (const connection of [used, unused]) {
      expect(await connection.closed()).to.equal('');
      expect(connection.error).to.equal(undefined);
    }
    await letGo();
    await sending.send(lastBytes);
    await expectAnswers([...connections, sending], 200);
    expect(await drained).to.equal(0);
  });

  it('requests that are unfinished at the timeout get 503, and are counted', async () => {
    const unfinished = await open();
    await servesOn(service, unfinished);
    const bytes = requestBytes(service);
    const { connections, letGo } = await heldUp(service, bytes, bytes);
    connections.push(await bodyIsComing(service));
    await unfinished.send('POST / HTTP/1.1\r\nHost');
    const drained = service.server.drain(100);
    await expectAnswers(connections, 503);
    expect(await unfinished.closed()).to.equal('');
    await letGo();
    expect(await drained).to.equal(3);
    expect(service.log.requests.filter(({ status }) => status === 503)).to.have.length(3);
  });

  it('requests that are still arriving are answered, and the listener closes', async () => {
    const bytes = requestBytes(service, { campaign: 424242 });
    const [used, fresh, received] = [await open(), await open(), await open()];
    for (const connection of [used, received]) await servesOn(service, connection);
    for (const connection of [used, fresh]) await connection.send(bytes.subarray(0, 20));
    // The service reads these bytes before those of a later request.
    expect((await ask(service, { campaign: 424242 })).status).to.equal(404);
    // The kernel has received these, and the service has not read them.
    await received.send(bytes);
    const drained = service.server.drain(long);
    // The service reads them for two turns before the listener closes.
    for (let turns = 0; turns < 3; turns++) await nextTurn();
    expect(await open().catch((error) => error.code)).to.equal('ECONNREFUSED');
    for (const connection of [used, fresh]) await connection.send(bytes.subarray(20));
    await expectAnswers([used, fresh, received], 404);
    expect(await drained).to.equal(0);
  });

  it('an answer that is being sent is sent whole', async () => {
    const agent = new Agent({ keepAlive: true });
    const sent = get({ port: service.port, host: '127.0.0.1', path: '/large', agent });
    const [response] = await once(sent, 'response');
    const drained = service.server.drain(long);
    expect(await buffer(response)).to.have.length(large.length);
    expect(await drained).to.equal(0);
    agent.destroy();
  });
});
