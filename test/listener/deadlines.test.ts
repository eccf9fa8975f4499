import { defaultDeadlines } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { RawConnection } from '../support/http-connection.ts';
import { goodBody, requestBytes, servesOn } from '../support/http-request.ts';
import { withHttpService } from '../support/http-service.ts';

const timedOut = [408, '{"message":"Request Timeout"}', 'close'];

describe('decisions: answers — slow request', () => {
  const deadlines = { headersTimeout: 250, requestTimeout: 400, connectionsCheckingInterval: 10 };
  const service = withHttpService({ deadlines: { ...defaultDeadlines, ...deadlines } });

  async function expectTimeout(connection: RawConnection) {
    const { status, body, headers } = await connection.response();
    expect([status, body, headers.connection]).to.deep.equal(timedOut);
    expect(headers['x-request-id']).to.be.a('string');
    expect(await connection.closed()).to.equal('');
  }

  it('decisions: answers — slow request: headers that do not end are 408', async () => {
    const connection = await RawConnection.open(service().port);
    await connection.send(requestBytes(service(), { body: undefined }).subarray(0, -2));
    await expectTimeout(connection);
  });

  it('decisions: answers — slow request: headers that trickle in are 408', async () => {
    const connection = await RawConnection.open(service().port);
    await connection.send('POST / HTTP/1.1\r\n');
    const trickle = (async () => {
      while (!connection.socket.destroyed && connection.socket.writable) {
        await connection.send('a:b\r\n');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    await expectTimeout(connection);
    await trickle;
  });

  for (const framing of [{ 'Content-Length': String(goodBody.length) }, { 'Transfer-Encoding': 'chunked' }]) {
    it(`decisions: answers — slow request: a body (${Object.keys(framing)}) that does not come is 408`, async () => {
      const headers = { ...framing, 'X-Request-Id': 'slow-body' };
      const connection = await RawConnection.open(service().port);
      await connection.send(requestBytes(service(), { headers, body: undefined }));
      await expectTimeout(connection);
      expect(await service().world.others.history(service().campaigns.own)).to.deep.equal([]);
      expect(await service().log.line('slow-body')).to.include({ method: 'POST', status: 408 });
    });
  }

  it('decisions: answers — slow request: the one before is answered first', async () => {
    const connection = await RawConnection.open(service().port);
    await connection.send(requestBytes(service()));
    expect((await connection.response()).status).to.equal(200);
    await connection.send('POST /');
    await expectTimeout(connection);
  });

  it('decisions: answers — slow request: a connection that idles between two requests is none', async () => {
    const connection = await RawConnection.open(service().port);
    await servesOn(service(), connection);
    // Another that is slow: by the time that it is cut off, the first has idled for longer than the deadline.
    const slow = await RawConnection.open(service().port);
    await slow.send('POST /');
    await expectTimeout(slow);
    await servesOn(service(), connection);
    await connection.reset();
  });
});

describe('decisions: answers — idle connections', () => {
  const service = withHttpService({ deadlines: { ...defaultDeadlines, keepAliveTimeout: 1 } });

  it('decisions: answers — a connection that idles too long closes without a word', async () => {
    const connection = await RawConnection.open(service().port);
    await servesOn(service(), connection);
    expect(await connection.closed()).to.equal('');
    expect(connection.error).to.equal(undefined);
  });
});
