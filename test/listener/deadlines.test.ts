import { once } from 'node:events';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { staticPage } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { ask, goodBody, requestBytes, servesOn } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { eventually, rejection } from '../support/promises.ts';

describe('contract: connections: how long a caller may take', () => {
  const service = withHttpService({
    timeLimits: { headersTimeout: 400, requestTimeout: 550 },
  });

  async function expectTimeout(connection: RawConnection) {
    const { status, body, headers } = await connection.response();
    const timedOut = [408, '{"message":"Request Timeout"}', 'close'];
    expect([status, body, headers.connection]).to.deep.equal(timedOut);
    expect(headers['x-request-id']).to.be.a('string');
    expect(await connection.closed()).to.equal('');
  }

  it('a body that does not come: 408', async () => {
    const headers = { 'Content-Length': String(goodBody.length), 'X-Request-Id': 'no-body' };
    const head = requestBytes(service(), { headers, body: undefined });
    await expectTimeout(await RawConnection.open(service().port, head));
    expect(await service().log.line('no-body')).to.include({ method: 'POST', status: 408 });
  });

  it('headers that do not end: 408, but not a connection that idles', async () => {
    const idle = await RawConnection.open(service().port);
    await servesOn(service(), idle);
    // By the time that this is cut off, the other has idled for longer than the time limit.
    await expectTimeout(await RawConnection.open(service().port, 'POST /'));
    await servesOn(service(), idle);
  });
});

describe('contract: connections: callers that do not read', () => {
  /** More than all buffers between the service and a caller hold. */
  const large = staticPage('application/octet-stream', Buffer.alloc(16_000_000));
  const service = withHttpService({ timeout: 200, pages: new Map([['/large', large]]) });

  it('an answer that nobody reads is cut off, and nobody else waits for it', async () => {
    const sent = get({ port: service().port, host: '127.0.0.1', path: '/large', agent: false });
    const [response] = await once(sent, 'response');
    expect((await ask(service())).status).to.equal(200);
    await eventually('the end', () => expect(service().server.connections).to.equal(0));
    expect(await rejection(buffer(response))).to.have.property('code', 'ECONNRESET');
  });
});
