import { METHODS } from 'node:http';
import { expect } from 'chai';
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
    for (const [target, status, text] of [
      [undefined, 405, notSupported('HEAD')],
      ['/nowhere', 404, '{"message":"The route /nowhere could not be found."}'],
    ] as const) {
      const connection = await RawConnection.open(service().port);
      const asking = { method: 'HEAD', body: undefined, headers: { Connection: 'close' } };
      await connection.send(requestBytes(service(), target ? { ...asking, target } : asking));
      const { headers, ...rest } = await connection.response({ toHead: true });
      expect(rest.status).to.equal(status);
      expect(headers['content-length']).to.equal(String(text.length));
      expect(headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(await connection.closed()).to.equal('');
    }
  });

  it('contract: answers — a malformed identifier is no other route', async () => {
    expect((await ask(service(), { method: 'GET', campaign: 'x' })).status).to.equal(405);
    expect((await ask(service(), { method: 'OPTIONS', campaign: 'x' })).status).to.equal(204);
  });

  it('contract: order of checks — OPTIONS needs no key, and answers on this route only', async () => {
    const asking = { method: 'OPTIONS', headers: { Authorization: undefined }, body: undefined };
    const { status, headers } = await ask(service(), asking);
    expect([status, headers.allow]).to.deep.equal([204, 'POST']);
    for (const target of ['*', '/', '/nowhere']) {
      const { status, body } = await ask(service(), { ...asking, target });
      expect([status, body]).to.deep.equal([
        404,
        JSON.stringify({ message: `The route ${target} could not be found.` }),
      ]);
    }
  });

  for (const target of ['example.com:443', pathOf(1), '*']) {
    it(`contract: answers — CONNECT ${target} is 405, the caller's X-Request-Id is kept`, async () => {
      const head = `CONNECT ${target} HTTP/1.1\r\nHost: a\r\nX-Request-Id: tunnel\r\n\r\n`;
      const { status, headers, body } = await exchange(service(), `${head}what goes through a tunnel`);
      expect([status, headers.allow, headers['x-request-id']]).to.deep.equal([405, 'POST', 'tunnel']);
      expect([headers.connection, body]).to.deep.equal(['close', notSupported('CONNECT')]);
      expect(await service().log.line('tunnel')).to.include({ method: 'CONNECT', route: '-', status: 405 });
    });
  }

  it('contract: answers — CONNECT with a body', async () => {
    const head = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n';
    for (const body of ['', '12345', '1234567890', '1234567890more']) {
      expect((await exchange(service(), `${head}${body}`)).status).to.equal(405);
    }
  });

  it('contract: answers — a caller that resets its connection after CONNECT does no harm', async () => {
    for (const lines of ['', 'Content-Length: 10\r\n']) {
      const connection = await RawConnection.open(service().port);
      await connection.send(`CONNECT a:1 HTTP/1.1\r\nHost: a\r\n${lines}\r\n`);
      await connection.reset();
    }
    expect((await ask(service())).status).to.equal(200);
  });
});
