import { expect } from 'chai';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const allVisible = Array.from({ length: 94 }, (_, at) => String.fromCharCode(0x21 + at)).join('');
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('contract: headers: X-Request-Id, and the line of the log', () => {
  const service = withHttpService();

  for (const id of ['a', allVisible, 'x'.repeat(128)])
    it(`is the caller's, in the history, too: ${id}`, async () => {
      const { headers } = await ask(service(), { headers: { 'X-Request-Id': id } });
      expect(headers['x-request-id']).to.equal(id);
      const row = (await service().world.others.history(service().campaigns.own)).at(-1);
      expect(row?.requestId).to.equal(id);
    });

  it('is a new one where the caller sends none that can be one', async () => {
    const ids = new Set<unknown>();
    const malformed = ['x'.repeat(129), 'a b', 'caf\xe9', ['a', 'b'], 'a\r\nX Bad: b'];
    for (const value of [undefined, undefined, ...malformed]) {
      const { headers } = await ask(service(), { headers: { 'X-Request-Id': value } });
      expect(headers['x-request-id']).to.match(uuid);
      ids.add(headers['x-request-id']);
      const line = await service().log.line(headers['x-request-id']);
      expect([line.client, line.method]).to.deep.equal(['127.0.0.1', line.status === 200 ? 'POST' : '-']);
    }
    expect(ids.size).to.equal(7);
  });

  for (const [status, asking, of] of [
    [200, {}, { route: '/public/v1/mirror/campaign/{campaign}/mirror', subject: 'key:1' }],
    [404, { target: '/secret-path?secret-query' }, { route: '-', because: 'route-not-found' }],
  ] as const)
    it(`${status}: one line has it, and nothing else that the caller chose`, async () => {
      const requestId = `with-${status}`;
      await ask(service(), { ...asking, headers: { 'X-Request-Id': requestId } });
      const { milliseconds, campaign, ...line } = await service().log.line(requestId);
      expect(milliseconds).to.be.a('number').within(0, 60_000);
      expect(campaign).to.equal(status === 200 ? service().campaigns.own : undefined);
      // As it is written, where what is undefined is left out.
      expect(JSON.parse(JSON.stringify(line))).to.deep.equal({
        ...{ requestId, status, client: '127.0.0.1', method: 'POST' },
        ...of,
      });
    });
});
