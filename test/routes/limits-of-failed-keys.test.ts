import { expect } from 'chai';
import { networkOf } from '../../packages/adapters-http/src/routes/limits.ts';
import { json, keptAlive, standing } from '../support/http/answer-rows.ts';
import { ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';
import { ToldCounts } from '../support/http/told-counts.ts';

describe('contract: limits: of refused keys, by the address', () => {
  const counts = new ToldCounts(2);
  const service = withHttpService({
    limits: { failedKeys: counts },
    proxies: { has: (address) => address === '127.0.0.1' },
  });
  const from = (client: string, authorization: string | readonly string[] | undefined) =>
    ask(service(), { headers: { Authorization: authorization, 'X-Forwarded-For': client } });
  const wrong = (client: string) => from(client, `Bearer ${service().keys.unknown}`);

  beforeEach(() => counts.asked.splice(0));

  it('turns a 401 into 429, whichever way the key is wrong, and never refuses a valid one', async () => {
    const client = '203.0.113.9';
    for (const { status, headers } of [await wrong(client), await from(client, 'Bearer cm_nothing')]) {
      expect(status).to.equal(401);
      expect(Object.keys(headers).join(), 'how many there were').not.to.include('ratelimit');
    }
    const { unknown, expired, revoked, valid } = service().keys;
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
      const line = await service().log.line(requestId);
      expect(line).to.include({ status: 429, because: 'failed-keys', client });
    }
    expect((await from(client, `Bearer ${valid}`)).status).to.equal(200);
    expect((await wrong('203.0.113.10')).status, 'another address').to.equal(401);
  });

  it('counts keys that are wrong, not their absence, nor those that are right', async () => {
    const right = `Bearer ${service().keys.valid}`;
    for (const authorization of [undefined, 'Basic x', ['Bearer x', 'Bearer x'], right])
      await from('203.0.113.9', authorization);
    expect(counts.asked).to.deep.equal([]);
  });

  it('takes the /64 of an IPv6 address for one', async () => {
    const statuses: number[] = [];
    for (const client of ['2001:db8::1', '2001:db8::ffff:1', '2001:db8:0:0:ffff::', '2001:db8:0:1::1'])
      statuses.push((await wrong(client)).status);
    expect(statuses).to.deep.equal([401, 401, 429, 401]);
    for (const [address, network] of [
      ['192.0.2.1', '192.0.2.1'],
      ['::1', '0:0:0:0::/64'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1::4:5:6:7', '2001:db8:1:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['-', '-'],
    ] as const)
      expect(networkOf(address)).to.equal(network);
  });
});
