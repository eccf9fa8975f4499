import { trustedProxies } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const proxies = trustedProxies(['loopback', '10.0.0.0/8', '198.51.100.7', 'fd00::/8']);
const xff = (...lines: string[]) => ({ 'X-Forwarded-For': lines });

/** Headers from a trusted proxy, and the address that the service takes for the client's. */
const cases: Record<string, readonly [Asking['headers'] & object, string]> = {
  'no header': [{}, '127.0.0.1'],
  'an address that the caller has made up': [xff('192.0.2.66, 203.0.113.9'), '203.0.113.9'],
  'several proxies': [xff('192.0.2.66, 203.0.113.9, 198.51.100.7, fd00::2', '10.1.2.3'), '203.0.113.9'],
  'proxies only': [xff('10.0.0.1, 10.0.0.2'), '10.0.0.1'],
  'IPv4 as IPv6': [xff('::ffff:203.0.113.9, ::ffff:10.0.0.1'), '203.0.113.9'],
  'ports, as Azure writes them': [xff('192.0.2.66:1, 203.0.113.9:4711, 10.0.0.1:80'), '203.0.113.9'],
  'IPv6 in brackets': [xff('[2001:db8::1]:4711, [fd00::2], [::ffff:10.0.0.1]:80'), '2001:db8::1'],
  'empty brackets': [xff('203.0.113.9, []:80'), '127.0.0.1'],
  'a port without an address': [xff(':4711'), '127.0.0.1'],
  'a word before a proxy': [xff('203.0.113.9, somewhere, 10.0.0.1'), '10.0.0.1'],
  'Forwarded, which is ignored': [{ Forwarded: 'for=203.0.113.9' }, '127.0.0.1'],
};

describe('contract: connections: only trusted proxies can name the client address', () => {
  const trusting = withHttpService({ proxies });
  const exposed = withHttpService({}, trusting);
  const elsewhere = withHttpService({ proxies: trustedProxies(['10.0.0.0/8', '127.0.0.2']) }, trusting);

  for (const [name, [headers, client]] of Object.entries(cases))
    it(`a trusted proxy sends ${name}: the client is ${client}`, async () => {
      await ask(trusting(), { headers });
      expect(trusting().log.requests.at(-1)).to.include({ status: 200, client });
    });

  it('an untrusted sender cannot name another client', async () => {
    for (const service of [exposed, elsewhere]) {
      await ask(service(), { headers: xff('203.0.113.9') });
      expect(service().log.requests.at(-1)).to.include({ client: '127.0.0.1' });
    }
  });

  it('TRUSTED_PROXIES accepts addresses, ranges, and loopback', () => {
    const own = ['127.0.0.1', '127.9.9.9', '::1'];
    const inside = ['192.0.2.1', '10.255.0.1', '2001:db8:7fff::1', '172.31.0.1'];
    const all = [...own, ...inside, '192.0.2.2', '11.0.0.1', '2001:db8:8000::1', '172.32.0.1'];
    const ranges = trustedProxies(['192.0.2.1', '10.1.2.3/8', '2001:db8::/33', '::ffff:172.16.0.0/108']);
    expect(all.filter((one) => ranges.has(one))).to.deep.equal(inside);
    expect(all.filter((one) => trustedProxies(['loopback']).has(one))).to.deep.equal(own);
  });
});
