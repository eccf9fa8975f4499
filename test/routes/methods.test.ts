import { METHODS } from 'node:http';
import { expect } from 'chai';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { RawConnection } from '../support/http/connection.ts';
import { ask, exchange, pathOf, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const notSupported = (method: string) =>
  `{"message":"The ${method} method is not supported for this route. Supported methods: POST."}`;

describe('contract: answers: methods', () => {
  const service = withHttpService();

  it('all but POST and OPTIONS: 405', async () => {
    const others = METHODS.filter((method) => !['POST', 'OPTIONS', 'HEAD', 'CONNECT'].includes(method));
    for (const method of others) {
      const { status, headers, body } = await ask(service(), { method, body: undefined });
      expect([status, headers.allow, body]).to.deep.equal([405, 'POST', notSupported(method)]);
    }
  });

  it('HEAD has the headers of its answer, and no body', async () => {
    const connection = await RawConnection.open(service().port);
    const asking = { method: 'HEAD', body: undefined, headers: { Connection: 'close' } };
    await connection.send(requestBytes(service(), asking));
    const { status, headers } = await connection.response({ toHead: true });
    const length = String(notSupported('HEAD').length);
    expect([status, headers['content-length'], headers['content-type']]).to.deep.equal([405, length, json]);
    expect(await connection.closed()).to.equal('');
  });

  it('OPTIONS needs no key, and answers on this route only', async () => {
    const asking = { method: 'OPTIONS', headers: { Authorization: undefined }, body: undefined };
    for (const campaign of [service().campaigns.own, 'x']) {
      const { status, headers } = await ask(service(), { ...asking, campaign });
      const { date: _, 'x-request-id': __, ...others } = headers;
      expect(status).to.equal(204);
      expect(others).to.deep.equal({ ...standing, allow: 'POST', ...keptAlive });
    }
    for (const target of ['*', '/nowhere']) {
      const { status, body } = await ask(service(), { ...asking, target });
      expect([status, body]).to.deep.equal([404, `{"message":"The route ${target} could not be found."}`]);
    }
  });

  it("CONNECT keeps the caller's X-Request-Id, and a caller that resets it does no harm", async () => {
    const head = `CONNECT ${pathOf(1)} HTTP/1.1\r\nHost: a\r\nX-Request-Id: tunnel\r\n\r\n`;
    const { status, headers } = await exchange(service(), `${head}what goes through a tunnel`);
    expect([status, headers['x-request-id']]).to.deep.equal([405, 'tunnel']);
    expect(await service().log.line('tunnel')).to.include({ method: 'CONNECT', route: '-', status: 405 });
    const connection = await RawConnection.open(service().port);
    await connection.send(head.replace('tunnel', 'reset'));
    await connection.reset();
    expect((await ask(service())).status).to.equal(200);
  });
});
