import { expect } from 'chai';
import { type Asking, ask, exchange, requestBytes } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const allVisible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join('');
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const replaced: Record<string, string | readonly string[] | undefined> = {
  'none at all': undefined,
  '129 characters': 'x'.repeat(129),
  'a space inside': 'a b',
  'not ASCII': 'caf\xe9',
  'two of them': ['a', 'b'],
};
/** Requests, and what the log has of them besides what it has of all. */
const lines: Record<number, readonly [Asking, object]> = {
  200: [{}, {}],
  400: [{ headers: { Host: undefined } }, { route: '-', because: 'bad-request' }],
  404: [{ target: '/secret-path?secret-query' }, { route: '-', because: 'route-not-found' }],
  422: [{ body: '{}' }, { because: 'required' }],
};

describe('contract: headers: X-Request-Id, and the line of the log', () => {
  const service = withHttpService();

  for (const id of ['a', allVisible, 'x'.repeat(128)])
    it(`is the caller's, in the history, too: ${id}`, async () => {
      const { headers } = await ask(service(), { headers: { 'X-Request-Id': id } });
      expect(headers['x-request-id']).to.equal(id);
      const row = (await service().world.others.history(service().campaigns.own)).at(-1);
      expect(row?.requestId).to.equal(id);
    });

  for (const [name, value] of Object.entries(replaced))
    it(`is a new one: ${name}`, async () => {
      const asking = { headers: { 'X-Request-Id': value } };
      const ids = new Set<unknown>();
      for (const { headers } of [await ask(service(), asking), await ask(service(), asking)]) {
        expect(headers['x-request-id']).to.match(uuid);
        ids.add(headers['x-request-id']);
      }
      expect(ids.size).to.equal(2);
    });

  it('is a new one where the headers could not be read', async () => {
    const bytes = requestBytes(service(), { headers: { 'X-Request-Id': 'a', 'X Bad': 'b' } });
    const { status, headers } = await exchange(service(), bytes);
    expect([status, headers['x-request-id']]).to.satisfy(([, id]: unknown[]) => uuid.test(String(id)));
    expect(await service().log.line(headers['x-request-id'])).to.include({ method: '-', status: 400 });
  });

  for (const [status, [asking, more]] of Object.entries(lines))
    it(`${status}: one line has it, and nothing that the caller chose but that`, async () => {
      const requestId = `with-${status}`;
      const answer = await ask(service(), {
        ...asking,
        headers: { ...asking.headers, 'X-Request-Id': requestId },
      });
      expect([answer.status, answer.headers['x-request-id']]).to.deep.equal([Number(status), requestId]);
      const { milliseconds, ...line } = await service().log.line(requestId);
      expect(milliseconds).to.be.a('number').within(0, 60_000);
      const route = '/public/v1/mirror/campaign/{campaign}/mirror';
      const campaign = status === '200' || status === '422' ? { campaign: service().campaigns.own } : {};
      const expected = { client: '127.0.0.1', method: 'POST', route, ...campaign, ...more };
      // As it is written, where what is undefined is left out.
      expect(JSON.parse(JSON.stringify(line))).to.deep.equal({
        requestId,
        status: answer.status,
        ...expected,
      });
    });
});
