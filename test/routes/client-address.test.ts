import { trustedProxies } from '@campaign-mirror/adapters-http';
import { expect } from 'chai';
import { type Asking, ask, exchange } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const trusting = (...ranges: string[]) => trustedProxies(ranges);
const proxies = trusting('loopback', '10.0.0.0/8', '198.51.100.7', 'fd00::/8');

const xff = (...lines: string[]) => ({ 'X-Forwarded-For': lines });

/** What a request through 127.0.0.1, which is trusted, says; and who then has called. */
const told: Record<string, readonly [Asking['headers'], string]> = {
  'nothing is said': [{}, '127.0.0.1'],
  'a caller that made one up before the proxy added its own': [xff('192.0.2.66, 203.0.113.9'), '203.0.113.9'],
  'several proxies': [xff('192.0.2.66, 203.0.113.9, 198.51.100.7, fd00::2', '10.1.2.3'), '203.0.113.9'],
  'nobody but proxies': [xff('10.0.0.1, 10.0.0.2'), '10.0.0.1'],
  IPv6: [xff('2001:db8::1'), '2001:db8::1'],
  'IPv4 as IPv6': [xff('::ffff:203.0.113.9'), '203.0.113.9'],
  'a proxy as IPv6': [xff('203.0.113.9, ::ffff:10.0.0.1'), '203.0.113.9'],
  'a port, which is no address': [xff('203.0.113.9:4711'), '127.0.0.1'],
  'no address before a proxy': [xff('203.0.113.9, somewhere, 10.0.0.1'), '10.0.0.1'],
  'an empty element': [xff('203.0.113.9, '), '203.0.113.9'],
  'Forwarded, which is not read': [{ Forwarded: 'for=203.0.113.9' }, '127.0.0.1'],
};

describe('contract: life — the address of the client', () => {
  const [trusted, exposed] = [withHttpService({ proxies }), withHttpService()];
  const elsewhere = withHttpService({ proxies: trusting('10.0.0.0/8', '127.0.0.2') });

  for (const [name, [headers, expected]] of Object.entries(told)) {
    it(`through a trusted proxy: ${name}`, async () => {
      const { status } = await ask(trusted(), { ...(headers && { headers }) });
      expect(status).to.equal(200);
      expect(trusted().log.last()?.client).to.equal(expected);
    });
  }

  for (const [name, service] of Object.entries({ 'no proxy': exposed, 'other proxies': elsewhere })) {
    it(`with ${name} trusted, whatever a caller says is not believed`, async () => {
      for (const headers of [xff('203.0.113.9'), xff('127.0.0.2')]) {
        await ask(service(), { headers });
        expect(service().log.last()?.client).to.equal('127.0.0.1');
      }
    });
  }

  it('of what never became a request, the connection is known', async () => {
    await exchange(trusted(), 'nonsense\r\n\r\n');
    expect(trusted().log.last()).to.include({ status: 400, client: '127.0.0.1' });
  });
});

describe('TRUSTED_PROXIES', () => {
  it('takes addresses and ranges of both families', () => {
    const all = trusting('192.0.2.1', '10.1.2.3/8', '2001:db8::/33', 'fe80::1', '::ffff:172.16.0.0/108');
    for (const one of ['192.0.2.1', '10.255.0.1', '2001:db8:7fff::1', 'fe80::1', '172.31.0.1'])
      expect(all.has(one), one).to.equal(true);
    for (const one of ['192.0.2.2', '11.0.0.1', '2001:db8:8000::1', 'fe80::2', '172.32.0.1', '::1'])
      expect(all.has(one), one).to.equal(false);
  });

  it('refuses to be set to nothing', () => expect(() => trustedProxies([])).to.throw(TypeError));

  it('takes loopback by its name', () => {
    const own = trusting('loopback');
    const all = ['127.0.0.1', '127.9.9.9', '::1', '128.0.0.1'];
    expect(all.filter((one) => own.has(one))).to.deep.equal(['127.0.0.1', '127.9.9.9', '::1']);
  });

  for (const text of [
    ...['10.0.0.0/33', '0.0.0.0/0', '::/0', '10.0.0.0/', 'proxy.example'],
    ...['010.0.0.0/8', '1', 'uniquelocal', '10.0.0.0/255.0.0.0', '::ffff:0:0/96'],
  ]) {
    it(`refuses ${text}`, () => expect(() => trusting('10.0.0.1', text)).to.throw(TypeError));
  }
});
