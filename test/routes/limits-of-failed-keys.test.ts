import { expect } from 'chai';
import { networkOf } from '../../packages/adapters-http/src/routes/limits.ts';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { ToldCounts } from '../support/http/told-counts.ts';

describe('a limit of keys that are refused, by the address', () => {
  const counts = new ToldCounts(2);
  const service = withHttpService({
    limits: { failedKeys: counts },
    proxies: { has: (address) => address === '127.0.0.1' },
  });
  const from = (client: string, authorization: string | readonly string[] | undefined) =>
    ask(service(), { headers: { Authorization: authorization, 'X-Forwarded-For': client } });
  const wrong = (client: string) => from(client, `Bearer ${service().keys.unknown}`);
  const right = (client: string) => from(client, `Bearer ${service().keys.valid}`);

  beforeEach(() => counts.forget());

  it('turns a 401 into 429, whichever way the key is wrong, and never refuses a valid one', async () => {
    const client = '203.0.113.9';
    for (const answer of [await wrong(client), await from(client, 'Bearer cm_nothing')]) {
      expect(answer.status).to.equal(401);
      expect(Object.keys(answer.headers).join(), 'how many there were').not.to.include('ratelimit');
    }
    const { unknown, expired, revoked } = service().keys;
    for (const bad of ['cm_nothing', unknown, expired, revoked]) {
      const { status, headers, body } = await from(client, `Bearer ${bad}`);
      expect([status, body]).to.deep.equal([429, '{"message":"Too Many Attempts."}']);
      const { date: _, 'x-request-id': requestId, 'x-ratelimit-reset': reset, ...others } = headers;
      expect(reset).to.match(/^[0-9]{10}$/);
      expect(others, bad).to.deep.equal({
        'content-type': json,
        'content-length': '32',
        'retry-after': '30',
        'x-ratelimit-limit': '2',
        'x-ratelimit-remaining': '0',
        'ratelimit-policy': '"failed-keys";q=2;w=60',
        ratelimit: '"failed-keys";r=0;t=30',
        ...standing,
        ...keptAlive,
      });
      const line = await service().log.line(String(requestId));
      expect(line).to.include({ status: 429, because: 'failed-keys', client });
    }
    expect((await right(client)).status).to.equal(200);
    expect((await wrong('203.0.113.10')).status, 'another address').to.equal(401);
  });

  it('counts keys that are wrong, not their absence, nor those that are right', async () => {
    for (const authorization of [undefined, 'Basic x', ['Bearer x', 'Bearer x']])
      await from('203.0.113.9', authorization);
    await right('203.0.113.9');
    expect(counts.asked).to.deep.equal([]);
  });

  it('takes the /64 of an IPv6 address for one', async () => {
    expect((await wrong('2001:db8::1')).status).to.equal(401);
    expect((await wrong('2001:db8::ffff:1')).status).to.equal(401);
    expect((await wrong('2001:db8:0:0:ffff::')).status).to.equal(429);
    expect((await wrong('2001:db8:0:1::1')).status).to.equal(401);
  });

  const networks = {
    '192.0.2.1': '192.0.2.1',
    '::1': '0:0:0:0::/64',
    '2001:db8:1:2:3:4:5:6': '2001:db8:1:2::/64',
    '2001:db8:1::4:5:6:7': '2001:db8:1:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    '-': '-',
  };
  for (const [address, network] of Object.entries(networks)) {
    it(`${address} belongs to ${network}`, () => expect(networkOf(address)).to.equal(network));
  }
});
