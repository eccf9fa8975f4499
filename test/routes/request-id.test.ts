import { expect } from 'chai';
import { type Asking, ask, exchange, requestBytes } from '../support/http/request.ts';
import { type HttpService, withHttpService } from '../support/http/service.ts';

const allVisible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join('');
const taken = ['a', allVisible, 'x'.repeat(128)];
const replaced: Record<string, string | readonly string[] | undefined> = {
  'none at all': undefined,
  '129 characters': 'x'.repeat(129),
  'a space inside': 'a b',
  'not ASCII': 'caf\xe9',
  'two of them': ['a', 'b'],
};

/** Every kind of answer. */
const answers: Record<number, (service: HttpService) => Asking> = {
  200: () => ({}),
  400: () => ({ headers: { Host: undefined } }),
  404: () => ({ target: '/' }),
  405: () => ({ method: 'CONNECT', target: 'a:1', body: undefined }),
  422: () => ({ body: '{}' }),
};

describe('contract: answers — X-Request-Id', () => {
  const service = withHttpService();

  for (const id of taken) {
    it(`contract: answers — X-Request-Id is the caller's: ${id}`, async () => {
      const { headers } = await ask(service(), { headers: { 'X-Request-Id': id } });
      expect(headers['x-request-id']).to.equal(id);
      const row = (await service().world.others.history(service().campaigns.own)).at(-1);
      expect(row?.requestId).to.equal(id);
    });
  }
  for (const [name, value] of Object.entries(replaced)) {
    it(`contract: answers — X-Request-Id is a new one: ${name}`, async () => {
      const asking = { headers: { 'X-Request-Id': value } };
      const ids = [await ask(service(), asking), await ask(service(), asking)].map(
        ({ headers }) => headers['x-request-id'],
      );
      for (const id of ids) expect(id).to.match(/^[0-9a-f-]{36}$/);
      expect(ids[0]).not.to.equal(ids[1]);
    });
  }
  for (const [status, asking] of Object.entries(answers)) {
    it(`contract: answers — X-Request-Id, also with ${status}, and in one log line`, async () => {
      const { headers, ...others } = asking(service());
      const id = `with-${status}`;
      const answer = await ask(service(), { ...others, headers: { ...headers, 'X-Request-Id': id } });
      expect([answer.status, answer.headers['x-request-id']]).to.deep.equal([Number(status), id]);
      const lines = service().log.requests.filter(({ requestId }) => requestId === id);
      expect(lines.map((line) => line.status)).to.deep.equal([Number(status)]);
    });
  }

  it('contract: answers — X-Request-Id is a new one where the headers could not be read', async () => {
    const bytes = requestBytes(service(), { headers: { 'X-Request-Id': 'a', 'X Bad': 'b' } });
    const { status, headers } = await exchange(service(), bytes);
    expect(status).to.equal(400);
    expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
    expect(await service().log.line(String(headers['x-request-id']))).to.include({
      method: '-',
      status: 400,
    });
  });
});
