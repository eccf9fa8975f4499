import { METHODS } from 'node:http';
import { expect } from 'chai';
import { json } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, exchange, pathOf, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const notSupported = (method: string) =>
  JSON.stringify({
    message: `The ${method} method is not supported for this route. Supported methods: POST.`,
  });

describe('contract: answers — methods', () => {
  const service = withHttpService();

  const others = METHODS.filter((method) => !['POST', 'OPTIONS', 'HEAD', 'CONNECT'].includes(method));
  it(`contract: answers — method other than POST: ${others.length} of them`, async () => {
    for (const method of others) {
      const { status, headers, body } = await ask(service(), { method, body: undefined });
      expect([status, headers.allow, body]).to.deep.equal([405, 'POST', notSupported(method)]);
    }
  });

  it('contract: answers — HEAD has the headers of its answer, and no body', async () => {
    const connection = await RawConnection.open(service().port);
    const asking = { method: 'HEAD', body: undefined, headers: { Connection: 'close' } };
    await connection.send(requestBytes(service(), asking));
    const { status, headers } = await connection.response({ toHead: true });
    const length = String(notSupported('HEAD').length);
    expect([status, headers['content-length'], headers['content-type']]).to.deep.equal([405, length, json]);
    expect(await connection.closed()).to.equal('');
  });

  it('contract: order of checks — OPTIONS needs no key, and answers on this route only', async () => {
    const asking = { method: 'OPTIONS', headers: { Authorization: undefined }, body: undefined };
    for (const campaign of [service().campaigns.own, 'x']) {
      const { status, headers } = await ask(service(), { ...asking, campaign });
      expect([status, headers.allow]).to.deep.equal([204, 'POST']);
    }
    for (const target of ['*', '/nowhere']) {
      const { status, body } = await ask(service(), { ...asking, target });
      expect([status, body]).to.deep.equal([
        404,
        JSON.stringify({ message: `The route ${target} could not be found.` }),
      ]);
    }
  });

  it("contract: answers — CONNECT is 405, the caller's X-Request-Id is kept", async () => {
    const head = `CONNECT ${pathOf(1)} HTTP/1.1\r\nHost: a\r\nX-Request-Id: tunnel\r\n\r\n`;
    const { status, headers } = await exchange(service(), `${head}what goes through a tunnel`);
    expect([status, headers['x-request-id']]).to.deep.equal([405, 'tunnel']);
    expect(await service().log.line('tunnel')).to.include({ method: 'CONNECT', route: '-', status: 405 });
  });

  it('contract: answers — a caller that resets its connection after CONNECT does no harm', async () => {
    const connection = await RawConnection.open(service().port);
    await connection.send('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n');
    await connection.reset();
    expect((await ask(service())).status).to.equal(200);
  });
});
