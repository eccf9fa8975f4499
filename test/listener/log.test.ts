import { inspect } from 'node:util';
import { expect } from 'chai';
import { ask, askToSet } from '../support/http/request.ts';
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
  const own = () => service().campaigns.own;

  it('contract: answers — the log line of a mirror that was set', async () => {
    const line = await lineOf({ headers: { 'X-Request-Id': 'set' } });
    expect(line).to.deep.equal({
      requestId: 'set',
      client,
      method: 'POST',
      route,
      status: 200,
      campaign: own(),
    });
  });

  it('contract: answers — the log line knows no path, which callers choose', async () => {
    const line = await lineOf({ target: '/secret-path?secret-query', headers: { 'X-Request-Id': 'path' } });
    const expected = { requestId: 'path', client, method: 'POST', route: '-', status: 404 };
    expect(line).to.deep.equal({ ...expected, because: 'route-not-found' });
    const malformed = await lineOf({ campaign: 'secret-segment', headers: { 'X-Request-Id': 'segment' } });
    expect(malformed).to.deep.equal({
      ...expected,
      requestId: 'segment',
      route,
      because: 'campaign-not-found',
    });
  });

  it('contract: answers — nothing in the log tells a key, a body or an address', async () => {
    const { keys, log } = service();
    await askToSet(service(), 'https://secret.example/address');
    await askToSet(service(), 'secret address');
    await ask(service(), { body: '{"secret-body"' });
    for (const key of Object.values(keys))
      await ask(service(), { headers: { Authorization: `Bearer ${key}` } });
    await ask(service(), { headers: { Authorization: 'Basic secret' } });
    const told = inspect([log.requests, log.faults], { depth: 10 });
    expect(told).not.to.include('secret');
    for (const key of Object.values(keys)) {
      expect(told).not.to.include(key);
      expect(told).not.to.include(key.slice(0, 10));
    }
  });
});
