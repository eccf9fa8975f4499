import { type HostDenylist, hostDenylist, mirrorAddress, noDeniedHosts } from '@campaign-mirror/domain';
import { expect } from 'chai';

describe('contract: the address — hosts that may not be set', () => {
  const denied: Record<string, { entry: string; urls: string[]; but: string[] }> = {
    'an exact host': {
      entry: 'go.example.com',
      urls: ['https://go.example.com', 'https://go.example.com/x?y#z', 'http://go.example.com:8080/'],
      but: [
        'https://example.com/',
        'https://a.go.example.com/',
        'https://xgo.example.com/',
        'https://go.example.com.evil/',
      ],
    },
    'every name below one': {
      entry: '*.example.com',
      urls: ['https://go.example.com/', 'https://a.b.c.example.com/'],
      but: [
        'https://example.com/',
        'https://badexample.com/',
        'https://example.com.evil/',
        'https://example.org',
      ],
    },
    'in whatever case': { entry: 'Go.EXAMPLE.com', urls: ['https://gO.example.COM/'], but: [] },
    'with a dot at the end, here or there': {
      entry: 'go.example.com.',
      urls: ['https://go.example.com/', 'https://go.example.com./'],
      but: [],
    },
    'a name below, with a dot at its end': {
      entry: '*.example.com',
      urls: ['https://go.example.com./'],
      but: [],
    },
    'an international name, in either form': {
      entry: 'B\u00dcCHER.example',
      urls: [
        'https://b\u00fccher.example/',
        'https://xn--bcher-kva.example/',
        'https://XN--BCHER-KVA.example/',
        'https://b\u0075\u0308cher.example/',
      ],
      but: ['https://bucher.example/'],
    },
    'the same in the ASCII form': {
      entry: 'xn--bcher-kva.example',
      urls: ['https://b\u00fccher.example/'],
      but: [],
    },
    'a name that is disguised': {
      entry: 'go.example.com',
      urls: [
        'https://go%2eexample.com/',
        'https://g%6f.example.com/',
        'https://\uff47\uff4f.example.com/',
        'https://go\u3002example.com/',
      ],
      but: [],
    },
    'an address of a machine, however it is written': {
      entry: '127.0.0.1',
      urls: [
        'http://127.0.0.1/',
        'http://127.1/',
        'http://0x7f.1/',
        'http://2130706433/',
        'http://0177.0.0.1/',
        'http://127.0.0.1./',
      ],
      but: ['http://127.0.0.2/'],
    },
    'the same where the entry is the odd one': { entry: '0x7f.1', urls: ['http://127.0.0.1/'], but: [] },
    'an IPv6 address, however it is written': {
      entry: '[::1]',
      urls: ['http://[::1]/', 'http://[0:0:0:0:0:0:0:1]:80/', 'http://[0::0001]/'],
      but: ['http://[::2]/'],
    },
  };
  for (const [what, { entry, urls, but }] of Object.entries(denied)) {
    it(`${what}: ${entry}`, () => {
      const list = listOf(entry);
      for (const url of urls) expect(mirrorAddress(url, list), url).to.deep.equal({ fault: 'denied-host' });
      for (const url of but) expect(mirrorAddress(url, list), url).to.equal(url);
    });
  }

  it('several entries count each for itself; none deny nothing', () => {
    const list = listOf('a.example', '*.b.example', '10.0.0.1');
    for (const url of ['https://a.example/', 'https://x.b.example/', 'https://10.0.0.1/']) {
      expect(mirrorAddress(url, list)).to.deep.equal({ fault: 'denied-host' });
      expect(mirrorAddress(url, listOf())).to.equal(url);
      expect(mirrorAddress(url, noDeniedHosts)).to.equal(url);
    }
    expect(mirrorAddress('https://b.example/', list)).to.equal('https://b.example/');
  });

  it('the host counts, not where else its name stands', () => {
    const text = 'https://b.example/a.example?to=https://a.example/#a.example';
    expect(mirrorAddress(text, listOf('a.example'))).to.equal(text);
  });

  it('contract: order of checks — what is no URL is that, whatever its host', () => {
    const list = listOf('a.example');
    expect(mirrorAddress('https://user@a.example/', list)).to.deep.equal({ fault: 'not-a-url' });
    expect(mirrorAddress(`https://a.example/${'x'.repeat(2048)}`, list)).to.deep.equal({ fault: 'too-long' });
  });

  it('an entry that is no host is told, as it was written', () => {
    for (const entry of [
      '',
      ' ',
      '*',
      '*.',
      '.',
      'a b.example',
      ' a.example',
      'a.example ',
      'https://a.example',
      'a.example/',
      'a.example/x',
      'a.example?x',
      'a.example#x',
      'a.example:443',
      'a.example:',
      '[::1]:80',
      '::1',
      'user@a.example',
      '*.*.example',
      'a.*.example',
      '1.2.3.256',
      '[::g]',
      'a\\b',
      'a|b',
    ]) {
      expect(hostDenylist(['fine.example', entry]), JSON.stringify(entry)).to.deep.equal({ notAHost: entry });
    }
  });
});

function listOf(...entries: string[]): HostDenylist {
  const list = hostDenylist(entries);
  if ('notAHost' in list) throw new Error(`not a host: ${list.notAHost}`);
  return list;
}
