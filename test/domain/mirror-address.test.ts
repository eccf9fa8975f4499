import { longestAddress, mirrorAddress, noDeniedHosts } from '@campaign-mirror/domain';
import { expect } from 'chai';

const party = '\u{1f389}';

describe('contract: the address — accepted, exactly as it was sent', () => {
  const accepted: Record<string, string[]> = {
    'http and https, in any case': [
      'http://a.example',
      'https://a.example/',
      'HTTPS://A.Example/',
      'hTtP://a.example',
    ],
    'what a parser would normalise': [
      'https://a.example:443/a/../b/./c//d',
      'https://a.example/%7Euser?a=%2f&b=+#',
      'https://a.example?',
      'https://a.example/caf\u00e9?cafe\u0301',
    ],
    'macros of trackers': [
      'https://t.example/{click_id}/[sub]?a={b}&c=[d]|e#{f}|[g]',
      'https://t.example/?x=%7Bclick_id%7D&y=$(z)&w=<v>&u=^`"\'',
    ],
    'international host names': [
      'https://b\u00fccher.example/',
      'https://\u4f8b\u3048.\u30c6\u30b9\u30c8/',
      'https://xn--bcher-kva.example',
    ],
    ports: ['https://a.example:1/', 'https://a.example:65535/', 'http://a.example:/x'],
    'addresses of machines': [
      'http://127.0.0.1/',
      'http://[::1]:8080/',
      'http://[2001:db8::1]',
      'http://localhost/x',
    ],
    'an @ after the authority': [
      'https://a.example/@user',
      'https://a.example?to=a@b',
      'https://a.example#@',
      'https://a.example/x:y@z',
    ],
    'further slashes and colons after the host': [
      'https://a.example//b',
      'https://a.example/https://b.example/',
    ],
    'characters above U+FFFF': [`https://a.example/${party}`],
  };
  for (const [what, texts] of Object.entries(accepted)) {
    it(what, () => {
      for (const text of texts) expect(mirrorAddress(text, noDeniedHosts)).to.equal(text);
    });
  }
});

describe('contract: the address — refused as no URL', () => {
  const refused: Record<string, string[]> = {
    'other schemes': [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://a.example/',
      'file:///etc/passwd',
      'ws://a.example/',
      'mailto:a@b.example',
      'httpss://a.example/',
      'xhttp://a.example/',
      'view-source:https://a.example/',
    ],
    'no scheme, or no absolute URL': [
      '',
      'a.example',
      '/path',
      '//a.example/',
      '?x',
      '#',
      'https',
      'https:',
      '://a.example',
    ],
    'other than exactly two slashes': [
      'http:a.example',
      'http:/a.example',
      'http:///a.example',
      'https:////a.example/',
    ],
    'no host': ['http://', 'https:///', 'https://?x', 'https://#x', 'http://:80/'],
    'credentials, and any @ in the authority': [
      'https://user@a.example/',
      'https://user:pass@a.example/',
      'https://:pass@a.example/',
      'https://@a.example/',
      'https://:@a.example/',
      'https://a@b@a.example/',
      'https://a.example:443@b.example',
      'https://a.example@b.example?x',
      'https://user@a.example#x',
      'https://a%40b.example/',
    ],
    'a backslash anywhere': [
      'https:\\\\a.example',
      'https://a.example\\b',
      'https://a.example/\\',
      'https://a.example?\\',
      'https://a.example#\\',
      'https:/\\a.example',
    ],
    'a host that the parser refuses': [
      'https://a b.example/',
      'https://a<b/',
      'https://a|b.example/',
      'https://%zz/',
      'https://1.2.3.256/',
      'https://0x100000000/',
      'https://[::1/',
      'https://[g::1]/',
    ],
    'a port that the parser refuses': [
      'https://a.example:65536/',
      'https://a.example:8x/',
      'https://a.example:-1/',
      'https://a.example:{port}/',
    ],
    'a lone surrogate': [
      'https://a.example/\ud83c',
      'https://a.example/\udf89',
      'https://a.example/\udf89\ud83c',
      'https://a.example?\ud83cx',
    ],
  };
  for (const [what, texts] of Object.entries(refused)) {
    it(what, () => {
      for (const text of texts) {
        expect(mirrorAddress(text, noDeniedHosts), JSON.stringify(text)).to.deep.equal({
          fault: 'not-a-url',
        });
      }
    });
  }

  const ranges: Record<string, [from: number, to: number][]> = {
    'control characters (Cc)': [
      [0x00, 0x1f],
      [0x7f, 0x9f],
    ],
    'white space (Zs)': [
      [0x20, 0x20],
      [0xa0, 0xa0],
      [0x1680, 0x1680],
      [0x2000, 0x200a],
      [0x202f, 0x202f],
      [0x205f, 0x205f],
      [0x3000, 0x3000],
    ],
    'line and paragraph separators (Zl, Zp)': [[0x2028, 0x2029]],
    'bidirectional controls': [
      [0x202a, 0x202e],
      [0x2066, 0x2069],
    ],
  };
  for (const [what, spans] of Object.entries(ranges)) {
    it(`${what}, in front, in the scheme, the host, the path, the query, the fragment, and at the end`, () => {
      for (const [from, to] of spans) {
        for (let codePoint = from; codePoint <= to; codePoint++) {
          const at = String.fromCodePoint(codePoint);
          for (const text of [
            `${at}https://a.example/`,
            `ht${at}tps://a.example/`,
            `https:${at}//a.example/`,
            `https://a${at}.example/`,
            `https://a.example/a${at}b`,
            `https://a.example/?a${at}b`,
            `https://a.example/#a${at}b`,
            `https://a.example/${at}`,
          ]) {
            const judged = mirrorAddress(text, noDeniedHosts);
            expect(judged, JSON.stringify(text)).to.deep.equal({ fault: 'not-a-url' });
          }
        }
      }
    });
  }
});

describe('contract: the address — at most 2,048 Unicode code points', () => {
  const start = 'https://a.example/';
  const long = (codePoints: number, character: string) => start + character.repeat(codePoints - start.length);

  it('2,048 are accepted, however many UTF-16 units or bytes they take', () => {
    expect(longestAddress).to.equal(2048);
    for (const character of ['a', '\u00e9', '\u65e5', party]) {
      const text = long(2048, character);
      expect(mirrorAddress(text, noDeniedHosts)).to.equal(text);
    }
  });

  it('2,049 are too long', () => {
    for (const character of ['a', '\u00e9', '\u65e5', party]) {
      expect(mirrorAddress(long(2049, character), noDeniedHosts)).to.deep.equal({ fault: 'too-long' });
    }
    expect(mirrorAddress(long(1_000_000, party), noDeniedHosts)).to.deep.equal({ fault: 'too-long' });
  });

  it('contract: order of checks — what is too long and no URL is too long', () => {
    expect(mirrorAddress('\\'.repeat(2049), noDeniedHosts)).to.deep.equal({ fault: 'too-long' });
    expect(mirrorAddress('\\'.repeat(2048), noDeniedHosts)).to.deep.equal({ fault: 'not-a-url' });
  });
});
