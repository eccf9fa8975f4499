import { trustedProxies } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { type Asking, ask } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const proxies = trustedProxies(['loopback', '10.0.0.0/8', '198.51.100.7', 'fd00::/8']);
const xff = (...lines: string[]) => ({ 'X-Forwarded-For': lines });

/** What a request through 127.0.0.1, which is trusted, says; and who then has called. */
const told: Record<string, readonly [Asking['headers'] & object, string]> = {
  'nothing is said': [{}, '127.0.0.1'],
  'a caller that made one up before the proxy added its own': [xff('192.0.2.66, 203.0.113.9'), '203.0.113.9'],
  'several proxies': [xff('192.0.2.66, 203.0.113.9, 198.51.100.7, fd00::2', '10.1.2.3'), '203.0.113.9'],
  'nobody but proxies': [xff('10.0.0.1, 10.0.0.2'), '10.0.0.1'],
  'IPv4 as IPv6': [xff('::ffff:203.0.113.9'), '203.0.113.9'],
  'a proxy as IPv6': [xff('203.0.113.9, ::ffff:10.0.0.1'), '203.0.113.9'],
  'with a port, as Azure writes it': [xff('192.0.2.66:1, 203.0.113.9:4711, 10.0.0.1:80'), '203.0.113.9'],
  'IPv6 in brackets': [xff('[2001:db8::1], [fd00::2]'), '2001:db8::1'],
  'IPv6 in brackets, with a port': [xff('[2001:db8::1]:4711, [::ffff:10.0.0.1]:80'), '2001:db8::1'],
  'brackets with nothing in them': [xff('203.0.113.9, []:80'), '127.0.0.1'],
  'a port without an address': [xff(':4711'), '127.0.0.1'],
  'no address before a proxy': [xff('203.0.113.9, somewhere, 10.0.0.1'), '10.0.0.1'],
  'Forwarded, which is not read': [{ Forwarded: 'for=203.0.113.9' }, '127.0.0.1'],
};

describe('contract: connections: the address of the client', () => {
  const trusting = withHttpService({ proxies });
  const exposed = withHttpService({}, trusting);
  const elsewhere = withHttpService({ proxies: trustedProxies(['10.0.0.0/8', '127.0.0.2']) }, trusting);

  for (const [name, [headers, client]] of Object.entries(told))
    it(`through a trusted proxy: ${name}`, async () => {
      await ask(trusting(), { headers });
      expect(trusting().log.requests.at(-1)).to.include({ status: 200, client });
    });

  it('without a trusted proxy, or through another, whatever a caller says is not believed', async () => {
    for (const service of [exposed, elsewhere]) {
      await ask(service(), { headers: xff('203.0.113.9') });
      expect(service().log.requests.at(-1)).to.include({ client: '127.0.0.1' });
    }
  });
});

describe('TRUSTED_PROXIES', () => {
  const own = ['127.0.0.1', '127.9.9.9', '::1'];
  const inside = ['192.0.2.1', '10.255.0.1', '2001:db8:7fff::1', '172.31.0.1'];
  const outside = ['192.0.2.2', '11.0.0.1', '2001:db8:8000::1', '172.32.0.1', '128.0.0.1'];

  it('takes addresses and ranges of both families, and loopback by its name', () => {
    const ranges = ['192.0.2.1', '10.1.2.3/8', '2001:db8::/33', '::ffff:172.16.0.0/108'];
    const [trusted, local] = [trustedProxies(ranges), trustedProxies(['loopback'])];
    const all = [...own, ...inside, ...outside];
    expect(all.filter((one) => trusted.has(one))).to.deep.equal(inside);
    expect(all.filter((one) => local.has(one))).to.deep.equal(own);
  });

  for (const text of [
    ...['10.0.0.0/33', '0.0.0.0/0', '::/0', '10.0.0.0/', 'proxy.example', '010.0.0.0/8', '::ffff:0:0/96'],
  ])
    it(`refuses ${text}`, () => expect(() => trustedProxies(['10.0.0.1', text])).to.throw(TypeError));
});
