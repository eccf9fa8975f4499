import { expect } from 'chai';
import { ask, askToSet } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const url = 'https://example.com/';
const good = `{"mirror_endpoint":"${url}"}`;
const bom = '\u{FEFF}';
const required = 'The mirror endpoint field is required.';
const notAString = 'The mirror endpoint field must be a string.';
const tooLong = 'The mirror endpoint field must not be greater than 2048 characters.';
const notAUrl = 'The mirror endpoint field must be a valid URL.';

const notJson: Record<string, string | Buffer> = {
  'an open brace': '{',
  'a blank': ' ',
  'a word': 'mirror_endpoint',
  'a trailing comma': '{"mirror_endpoint":"https://example.com/",}',
  'single quotes': "{'mirror_endpoint':'https://example.com/'}",
  'a comment': `${good}//`,
  'two values': `${good}${good}`,
  NaN: 'NaN',
  'a form': 'mirror_endpoint=https://example.com/',
  'a control character in a string': '{"mirror_endpoint":"https://example.com/\n"}',
  'a byte that is no UTF-8': latin1('{"mirror_endpoint":"https://example.com/\xff"}'),
  'a byte that is no UTF-8 in another key': latin1(`{"x":"\xff","mirror_endpoint":"${url}"}`),
  'an overlong slash': latin1('{"mirror_endpoint":"https://example.com/\xc0\xaf"}'),
  'a character that is cut short': latin1('{"mirror_endpoint":"https://example.com/\xe2\x82"}'),
  'a character that is cut short at the end': latin1(`${good}\xe2\x82`),
  'an encoded surrogate': latin1('{"mirror_endpoint":"https://example.com/\xed\xa0\x80"}'),
  'a character above U+10FFFF': latin1('{"mirror_endpoint":"https://example.com/\xf4\x90\x80\x80"}'),
  'ISO 8859-1': latin1('{"mirror_endpoint":"https://example.com/\xe9"}'),
  'UTF-16 with its mark': Buffer.concat([latin1('\xff\xfe'), Buffer.from(good, 'utf16le')]),
  'UTF-16 without a mark': Buffer.from(good, 'utf16le'),
  'two byte order marks': `${bom}${bom}${good}`,
  'a byte order mark behind': `${good}${bom}`,
  'a byte order mark alone': bom,
};

const unprocessable: Record<string, readonly [string, string]> = {
  'an array': [`[${good}]`, required],
  'an empty array': ['[]', required],
  'a string': [`"${url}"`, required],
  'a number': ['42', required],
  null: ['null', required],
  true: ['true', required],
  false: ['false', required],
  'an empty object': ['{}', required],
  'another key': [`{"mirrorEndpoint":"${url}"}`, required],
  'a key in another case': [`{"Mirror_endpoint":"${url}"}`, required],
  'the address one level down': [`{"mirror":${good}}`, required],
  'the address in __proto__': [`{"__proto__":${good}}`, required],
  'the address in a constructor': [`{"constructor":{"prototype":${good}}}`, required],
  'the address null': ['{"mirror_endpoint":null}', required],
  'the last of two null': [`{"mirror_endpoint":"${url}","mirror_endpoint":null}`, required],
  'the address false': ['{"mirror_endpoint":false}', notAString],
  'the address 0': ['{"mirror_endpoint":0}', notAString],
  'the address in an array': [`{"mirror_endpoint":["${url}"]}`, notAString],
  'the address an object': ['{"mirror_endpoint":{}}', notAString],
  'a lone surrogate': ['{"mirror_endpoint":"https://example.com/\\ud800"}', notAUrl],
  'a NUL': ['{"mirror_endpoint":"https://example.com/\\u0000"}', notAUrl],
  'white space around it': [`{"mirror_endpoint":" ${url} "}`, notAUrl],
  'no scheme': ['{"mirror_endpoint":"example.com"}', notAUrl],
};

const blank: Record<string, string> = {
  empty: '',
  spaces: '   ',
  'line breaks and tabs': '\r\n\t\v\f',
  'U+00A0': '\u00a0',
  'U+FEFF': '\ufeff',
  'U+2028, U+2029': '\u2028\u2029',
  'U+3000': '\u3000',
};

const set: Record<string, readonly [string, string]> = {
  'a leading byte order mark': [`${bom}${good}`, url],
  'white space around the JSON': [` \r\n\t${good}\n`, url],
  'keys that are not known': [`{"a":1,"mirror_endpoint":"${url}","__proto__":{"b":[]}}`, url],
  'the last of two': [`{"mirror_endpoint":"ftp://x","mirror_endpoint":"${url}"}`, url],
  'a key in escapes': [`{"\\u006dirror_endpoint":"${url}"}`, url],
  'an address in escapes': ['{"mirror_endpoint":"https:\\/\\/example.com\\u002f\\u00e9"}', `${url}\u00e9`],
  'a pair of escaped surrogates': [
    '{"mirror_endpoint":"https://example.com/\\ud83d\\ude00"}',
    `${url}\u{1F600}`,
  ],
};

const asSent = [
  'HTTPS://EXAMPLE.COM',
  'https://example.com:443/a/../b/./c',
  'http://example.com?q#f',
  'https://b\u00fccher.example/\u00fc?\u{1F600}=%zz#\u00e4',
  'https://example.com/?click={click_id}&sub=[sub]|x&quote="\'`<>',
  'https://example.com/e\u0301\u00e9',
  'https://example.com/\u200b\ufeff',
  'https://127.1/',
];

describe('contract: answers — body', () => {
  const service = withHttpService();

  for (const [name, body] of Object.entries(notJson)) {
    it(`contract: answers — body not JSON, or not UTF-8: ${name}`, async () => {
      const answer = await ask(service(), { body });
      const expected = '{"message":"The request body is not valid JSON."}';
      expect([answer.status, answer.body]).to.deep.equal([400, expected]);
    });
  }
  for (const [name, [body, message]] of Object.entries(unprocessable)) {
    it(`contract: answers — validation failure: ${name}`, async () => {
      const answer = await ask(service(), { body });
      const expected = JSON.stringify({ message, errors: { mirror_endpoint: [message] } });
      expect([answer.status, answer.body]).to.deep.equal([422, expected]);
    });
  }
  for (const [name, text] of Object.entries(blank)) {
    it(`contract: answers — mirror_endpoint empty after trim(): ${name}`, async () => {
      const { status, body } = await askToSet(service(), text);
      expect([status, JSON.parse(body).message]).to.deep.equal([422, required]);
    });
  }

  it('contract: answers — nothing was set by any of these', async () => {
    expect(await service().world.others.history(service().campaigns.own)).to.deep.equal([]);
  });

  for (const [name, [body, address]] of Object.entries(set)) {
    it(`contract: the call — target_url is the submitted mirror_endpoint: ${name}`, async () => {
      const answer = await ask(service(), { body });
      expect([answer.status, JSON.parse(answer.body).mirror?.target_url]).to.deep.equal([200, address]);
    });
  }
  for (const address of asSent) {
    it(`contract: the address — returned and stored exactly as sent: ${address}`, async () => {
      const { status, body } = await askToSet(service(), address);
      expect([status, JSON.parse(body).mirror?.target_url]).to.deep.equal([200, address]);
      const stored = await service().world.others.mirror(service().campaigns.own);
      expect(stored?.targetUrl).to.equal(address);
    });
  }

  for (const character of ['a', '\u00e9', '\u{1F600}']) {
    it(`contract: the address — 2,048 code points pass, 2,049 do not: ${character}`, async () => {
      const longest = `${url}${character.repeat(2048 - url.length)}`;
      const passed = await askToSet(service(), longest);
      expect([passed.status, JSON.parse(passed.body).mirror?.target_url]).to.deep.equal([200, longest]);
      const { status, body } = await askToSet(service(), `${longest}a`);
      expect([status, JSON.parse(body).message]).to.deep.equal([422, tooLong]);
    });
  }
});
