import { expect } from 'chai';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const client = '127.0.0.1';
const route = '/public/v1/mirror/campaign/{campaign}/mirror';

describe('contract: answers — the log line of a request', () => {
  const service = withHttpService();

  async function lineOf(asking: Parameters<typeof ask>[1]) {
    const { headers } = await ask(service(), asking);
    const { milliseconds, ...told } = await service().log.line(String(headers['x-request-id']));
    expect(milliseconds).to.be.a('number').within(0, 60_000);
    // As the log has it, where what is undefined is left out.
    return JSON.parse(JSON.stringify(told));
  }

  it('contract: answers — the log line of a mirror that was set', async () => {
    const line = await lineOf({ headers: { 'X-Request-Id': 'set' } });
    expect(line).to.deep.equal({
      requestId: 'set',
      client,
      method: 'POST',
      route,
      status: 200,
      campaign: service().campaigns.own,
    });
  });

  it('contract: answers — the log line knows no path, which callers choose', async () => {
    const line = await lineOf({ target: '/secret-path?secret-query', headers: { 'X-Request-Id': 'path' } });
    const expected = { requestId: 'path', client, method: 'POST', route: '-', status: 404 };
    expect(line).to.deep.equal({ ...expected, because: 'route-not-found' });
  });
});
