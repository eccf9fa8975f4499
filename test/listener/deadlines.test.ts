import { once } from 'node:events';
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { staticPage } from '@campaign-mirror/adapters-http/service';
import { expect } from 'chai';
import { RawConnection } from '../support/http/connection.ts';
import { ask, goodBody, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { eventually, rejection } from '../support/promises.ts';

describe('contract: connections: a caller that is too slow is cut off', () => {
  const service = withHttpService({ timeLimits: { headersTimeout: 400, requestTimeout: 550 } });

  it('headers or a body that do not end are 408', async () => {
    const headers = { 'Content-Length': String(goodBody.length) };
    for (const bytes of ['POST /', requestBytes(service(), { headers, body: undefined })]) {
      const connection = await RawConnection.open(service().port, bytes);
      const answer = await connection.response();
      const timedOut = [408, '{"message":"Request Timeout"}', 'close'];
      expect([answer.status, answer.body, answer.headers.connection]).to.deep.equal(timedOut);
      expect(await service().log.line(answer.headers['x-request-id'])).to.include({ status: 408 });
      expect(await connection.closed()).to.equal('');
    }
  });
});

describe('contract: connections: a caller that does not read its answer is cut off', () => {
  /** Larger than all buffers between the service and a caller. */
  const large = staticPage('application/octet-stream', Buffer.alloc(16_000_000));
  const service = withHttpService({ timeout: 200, pages: new Map([['/large', large]]) });

  it('other callers are served meanwhile', async () => {
    const sent = get({ port: service().port, host: '127.0.0.1', path: '/large', agent: false });
    const [response] = await once(sent, 'response');
    // This answer needs no database, which may be slower than the timeout.
    expect((await ask(service(), { target: '/nowhere' })).status).to.equal(404);
    await eventually('the end', () => expect(service().server.connections).to.equal(0));
    expect(await rejection(buffer(response))).to.have.property('code', 'ECONNRESET');
  });
});
