import { type HostList, hostList, mirrorAddress } from '@campaign-mirror/domain';
import { noHosts } from '@campaign-mirror/domain/operator';
import { expect } from 'chai';
import { denying } from '../support/store/world.ts';

/** The fault of an address. An accepted address must be returned unchanged. */
function faultOf(text: string, denied = noHosts, allowed?: HostList): string | undefined {
  const judged = mirrorAddress(text, denied, allowed);
  if (typeof judged !== 'string') return judged.fault;
  expect(judged).to.equal(text);
  return undefined;
}

describe('contract: the address — an accepted address is kept byte for byte', () => {
  const accepted = {
    'http and https, in any case': 'http://a.example https://a.example/ HTTPS://A.Example/ hTtP://a.example',
    'parts that a parser would normalise':
      'https://a.example:443/a/../b/./c//d https://a.example/%7Euser?a=%2f&b=+# https://a.example/caf\u00e9?cafe\u0301',
    'macros of trackers':
      'https://t.example/{click_id}/[sub]?a={b}&c=[d]|e#{f}|[g] https://t.example/?x=%7Bx%7D&y=$(z)&w=<v>&u=^`"\'',
    'international hosts, IP addresses, and ports':
      'https://b\u00fccher.example/ https://xn--bcher-kva.example http://127.0.0.1/ http://[::1]:8080/ http://localhost/x http://a.example:/x https://a.example./ http://localhost.:80 http://127.1/',
    'an @, slashes and colons after the authority':
      'https://a.example/@user https://a.example?to=a@b https://a.example#@ https://a.example//x:y@z https://a.example/https://b.example/',
  };
  for (const [what, texts] of Object.entries(accepted)) {
    it(what, () => {
      for (const text of texts.split(' ')) expect(faultOf(text), text).to.equal(undefined);
    });
  }
});

describe('contract: the address — a refused address gets the message for its fault', () => {
  const refused = {
    'not-http: another scheme, or none':
      'javascript:alert(1) data:text/html,x ftp://a@a.example/ httpss://a.example/ a.example //a.example/ https: ?x ',
    'not-http: fewer than two slashes, or characters that look like ASCII':
      'http:a.example http:/a.example \uff48ttps://a.example/ https\uff1a//a.example/ https:\uff0f\uff0fa.example/',
    'credentials: any @ in the authority':
      'https://user@a.example/ https://:pass@a.example/ https://@a.example/ https://a@b@a.example/ https://a:1@b.example?x',
    'forbidden-character: a backslash or a lone surrogate anywhere':
      'https://a.example\\b https://a.example/\\ https://a.example#\\ https://a.example/\ud83c https://a.example?\udf89\ud83c',
    'not-a-url: no host, or more than two slashes before it':
      'http:// https://?x https://#x https:///x http:///a.example https:////a.example/ HTTPS:///@ https://????.example/',
    'not-a-url: a host that the parser refuses':
      'https://a%40b.example/ https://a<b/ https://1.2.3.256/ https://[::1/ https://\u0378.example/ https://a%E2%80%8Db.example/',
    'not-a-url: a port that the parser refuses':
      'http://:80/ https://a.example:65536/ https://a.example:{port}/ https://a.example:-1/ https://a.example:\uff18\uff10/',
    'not-a-url: port 0, and ports that browsers block, in any spelling':
      'http://a.example:0/ https://a.example:000?x https://[::1]:6000/ https://a.example:06667#x http://localhost:25',
    'not-a-url: an address pasted twice, or a host of one label':
      'https://https://x.example/ HTTP://HTTPS:// https://https//x.example/ https://second/ https://com. http://intranet:8080/x',
    'not-a-url: an empty label':
      'https://x..example/ https://.x.example/ https://x.example../ https://localhost.. https://./ https://x\u3002.example/',
  };
  for (const [what, texts] of Object.entries(refused)) {
    it(what, () => {
      for (const text of texts.split(' ')) expect(faultOf(text), text).to.equal(what.split(':')[0]);
    });
  }

  it('not-a-url: every port that fetch blocks', async () => {
    const options = { dispatcher: { dispatch: () => expect.fail('opened') } } as unknown as RequestInit;
    for (let port = 1; port <= 10_100; port++) {
      const url = `http://a.example:${port}/`;
      const error: { cause?: { message: string } } = await fetch(url, options).catch((reason) => reason);
      expect(faultOf(url), url).to.equal(error.cause?.message === 'bad port' ? 'not-a-url' : undefined);
    }
  });

  const places = `|https://a.example/ https:|//a.example/ https://| https://a|.example/ https://a.example|
    https://a.example:8|0/ https://a.example/| https://a.example/-|- https://a.example/{|click_id}
    https://a.example/{click_id}| https://a.example/?|x=[sub] https://a.example/#|`.split(/\s+/);
  const shaping = /\u200c|\u200d|\p{Variation_Selector}/u;
  it('forbidden-character: control, format, blank, ignorable and surrogate characters, anywhere', () => {
    const forbidden =
      /[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cs}\u2800]/u;
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (!forbidden.test(character)) continue;
      const isShaping = shaping.test(character);
      for (const place of [...places, ...(isShaping ? [] : ['https://a.example/a|b'])]) {
        // The next test has joiners and variation selectors after letters and digits outside the host.
        if (isShaping && /[\p{L}\p{N}]\|/u.test(place) && !/^https:..[^/]*\|/.test(place)) continue;
        const text = place.replace('|', () => character);
        expect(faultOf(text), JSON.stringify(text)).to.equal('forbidden-character');
      }
    }
  });

  it('joiners and variation selectors after letters, marks and emoji pass outside the host only', () => {
    const family = '\u{1f469}\u{1f3fd}\u200d\u2764\ufe0f\u200d\u{1f468}';
    const words = `\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937 a\u200db ${family}
      \u{1f3f4}\u200d\u2620\ufe0f \u{1f3f3}\ufe0f\u200d\u{1f308} \u2764\ufe0f 1\ufe0f\u20e3 \u845b\u{e0100} \u1820\u180b`;
    for (const word of words.split(/\s+/)) {
      for (const place of [`/${word}`, `?to={x}&${word}=[y]`, `#-${word}-`])
        expect(faultOf(`https://a.example${place}`), JSON.stringify(place)).to.equal(undefined);
      for (const host of [`${word}.example`, `a.${word}`, `a.example:${word}`])
        expect(faultOf(`https://${host}/`), JSON.stringify(host)).to.equal('forbidden-character');
    }
  });

  it('forbidden-character: a joiner at an end or beside another, a selector after anything else', () => {
    const alone =
      '\u200da a\u200c {\u200dx} {x\u200d} {x}\u200dy [\u200cx] a\u200d1 1\u200da a\u200d\u200db a\u200d\ufe0f';
    const selected = '\ufe0f {\ufe0fx} {x}\ufe0f =\ufe0f 1\ufe0f #\ufe0e %20\ufe00 a\u200d\ufe0fb';
    for (const word of `${alone} ${selected}`.split(' '))
      for (const place of [`/${word}`, `?${word}`, `#${word}`])
        expect(faultOf(`https://a.example${place}`), JSON.stringify(place)).to.equal('forbidden-character');
  });
});

describe('contract: the address — limits, and the order of checks', () => {
  const label = (length: number) => 'a'.repeat(length);
  const name = (length: number) => `${`${label(63)}.`.repeat(3)}${label(length - 3 * 64)}`;

  it('a host has at most 253 characters and labels of at most 63, as written and as parsed', () => {
    for (const host of [name(253), `${label(63)}.example`, `${name(253)}:443`])
      expect(faultOf(`https://${host}/`), host).to.equal(undefined);
    // 40 characters, but 64 in ASCII.
    const international = String.fromCodePoint(...Array.from({ length: 40 }, (_, at) => 0x4e00 + 97 * at));
    // 12 short labels of 163 characters, but more than 253 in ASCII.
    const many = `${`${international.slice(0, 12)}.`.repeat(12)}example`;
    for (const host of [many, name(254), `${name(253)}.`, `${label(64)}.example`, `${international}.example`])
      expect(faultOf(`https://${host}/`), host).to.equal('not-a-url');
  });

  it('an address has at most 2,048 code points', () => {
    const start = 'https://a.example/';
    for (const character of ['a', '\u00e9', '\u65e5', '\u{1f389}']) {
      expect(faultOf(start + character.repeat(2048 - start.length))).to.equal(undefined);
      expect(faultOf(start + character.repeat(2049 - start.length))).to.equal('too-long');
    }
    expect(faultOf(start + '\u{1f389}'.repeat(1_000_000))).to.equal('too-long');
  });

  it('contract: order of checks — length, characters, scheme, credentials, URL, denied host', () => {
    const denied = denying('a.example');
    expect(faultOf('\\'.repeat(2049))).to.equal('too-long');
    expect(faultOf('\\'.repeat(2048))).to.equal('forbidden-character');
    expect(faultOf('ftp://user@a.example/\u200b')).to.equal('forbidden-character');
    expect(faultOf('ftp://user@a.example../')).to.equal('not-http');
    expect(faultOf('https://user@a.example../', denied)).to.equal('credentials');
    expect(faultOf('https://a.example../', denied)).to.equal('not-a-url');
  });
});

describe('contract: the address — a denied host is refused in each of its spellings', () => {
  const cases: [entry: string, denied: string, but: string][] = [
    [
      'go.example.com',
      'https://go.example.com/x?y#z http://Go.EXAMPLE.com.:8080/ https://go%2eexample.com/ https://\uff47o.example\u3002com/',
      'https://example.com/ https://a.go.example.com/ https://xgo.example.com/ https://b.example/go.example.com?https://go.example.com',
    ],
    [
      '*.example.com',
      'https://go.example.com/ https://a.b.c.example.com/ https://go.example.com./',
      'https://example.com/ https://badexample.com/ https://example.com.evil/ https://example.org',
    ],
    [
      'B\u00dcCHER.example',
      'https://b\u00fccher.example/ https://XN--BCHER-KVA.example/ https://b\u0075\u0308cher.example/',
      'https://bucher.example/',
    ],
    [
      '0x7f.1',
      'http://127.0.0.1/ http://127.1/ http://0x7f.1/ http://2130706433/ http://0177.0.0.1/ http://127.0.0.1./',
      'http://127.0.0.2/',
    ],
    [
      '192.0.2.1',
      'http://[::ffff:192.0.2.1]/ http://[0::FFFF:c000:0201]:80/ http://[64:ff9b::192.0.2.1]/ http://192.0.2.1./',
      'http://[::192.0.2.1]/ http://[64:ff9b:1::192.0.2.1]/ http://[::ffff:0:192.0.2.1]/ http://[::ffff:192.0.2.2]/',
    ],
    [
      '[::ffff:0.0.0.1]',
      'http://0.0.0.1/ http://1/ http://[64:ff9b::1]/',
      'http://[::ffff:1]/ http://[::1]/',
    ],
    ['[::1]', 'http://[::1]/ http://[0:0:0:0:0:0:0:1]:80/ http://[0::0001]/', 'http://[::2]/'],
  ];
  for (const [entry, denied, but] of cases)
    it(`${entry} denies its spellings and nothing else`, () => {
      const list = denying('first.example', entry, '*.last.example');
      for (const url of [...denied.split(' '), 'https://first.example/', 'https://x.last.example/']) {
        expect(faultOf(url, list), url).to.equal('denied-host');
        expect(faultOf(url, denying()), url).to.equal(undefined);
      }
      for (const url of but.split(' ')) expect(faultOf(url, list), url).to.equal(undefined);
    });

  it('an entry that is not a host is named as written', () => {
    const entries =
      `https://a.example a.example/x a.example?x a.example#x a.example:443 a.example: user@a.example * *. .
      a..b .a.example a.example.. *..example *.a..b com com. [::1]:80 ::1 *.*.example a.*.example 1.2.3.256 [::g] a\\b
      a|b a.example;b.example {x}.example %7Bx%7D.example *.1.2.3.4 *.[::1] ${'a'.repeat(64)}.example`.split(
        /\s+/,
      );
    for (const entry of ['', ' ', 'a b.example', ' a.example', 'a.example ', ...entries])
      for (const use of ['allow', 'deny'] as const)
        expect(hostList(['fine.example', entry], use), entry).to.deep.equal({ notAHost: entry });
    // A key cannot have a whole top-level domain, or a host that parsers read differently.
    for (const entry of ['*.com', '*.localhost', 'my_shop.example', '*.my_shop.example']) {
      expect(hostList(['fine.example', entry]), entry).to.deep.equal({ notAHost: entry });
      expect(hostList(['fine.example', entry], 'deny'), entry).not.to.have.property('notAHost');
    }
  });
});

describe('contract: keys: a key for hosts sets them in the spelling of the parser only', () => {
  const cases: [entry: string, allowed: string, but: string][] = [
    [
      'shop.example',
      'https://shop.example HTTPS://SHOP.Example:8443/?c={click_id} https://shop.example./ https://shop.example#{x}',
      `https://a.shop.example/ https://shop.example.evil.example/ https://%73hop.example/ https://shop%2Eexample/
        https://shop\u3002example/ https://shop.e%C2%ADxample/ https://\uff53hop.example/ https://\u017fhop.example/`,
    ],
    [
      '*.shop.example',
      'https://a-1.b.shop.example/ https://XN--BCHER-KVA.shop.example/',
      `https://shop.example/ https://__X__.shop.example/ https://$x.shop.example/ https://*.shop.example/
        https://{x}.shop.example/ https://%7Bx%7D.shop.example/ https://x;y.shop.example/ https://x,y.shop.example/
        https://x&y.shop.example/ https://"x".shop.example/ https://b\u00fccher.shop.example/ https://fa\u00df.shop.example/`,
    ],
    ['kelvin.example', 'https://KELVIN.example/', 'https://\u212aelvin.example/'],
    [
      '0x7f.1',
      'http://127.0.0.1:8080/',
      'http://127.1/ http://2130706433/ http://127.0.0.1./ http://127.0.0.2/',
    ],
    ['[::ffff:192.0.2.1]', 'http://192.0.2.1/ http://[::FFFF:c000:201]/', 'http://[::ffff:192.0.2.1]/'],
  ];
  for (const [entry, allowed, but] of cases)
    it(`${entry} allows its parsed form and nothing else`, () => {
      const list = hostList.of('first.example', entry, '*.last.example');
      for (const url of allowed.split(' ')) expect(faultOf(url, noHosts, list), url).to.equal(undefined);
      for (const url of but.split(/\s+/)) {
        expect(faultOf(url), url).to.equal(undefined);
        expect(faultOf(url, noHosts, list), url).to.equal('host-not-of-key');
      }
    });
});
