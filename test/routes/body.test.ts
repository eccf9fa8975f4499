import { expect } from 'chai';
import { ask, askToSet } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const url = 'https://example.com/';
const good = `{"mirror_endpoint":"${url}"}`;
const bom = '\u{FEFF}';
const required = 'The mirror endpoint field is required.';
const notAString = 'The mirror endpoint field must be a string.';
const notAUrl = 'The mirror endpoint field must be a valid URL.';

const notJson: Record<string, string | Buffer> = {
  'a blank': ' ',
  'a comment': `${good}//`,
  'a byte that is no UTF-8 in another key': latin1(`{"x":"\xff","mirror_endpoint":"${url}"}`),
  'a character that is cut short at the end': latin1(`${good}\xe2\x82`),
  'UTF-16 with its mark': Buffer.concat([latin1('\xff\xfe'), Buffer.from(good, 'utf16le')]),
  'two byte order marks': `${bom}${bom}${good}`,
  'a byte order mark alone': bom,
};

const unprocessable: Record<string, readonly [string, string]> = {
  'an array': [`[${good}]`, required],
  'a string': [`"${url}"`, required],
  null: ['null', required],
  'a key in another case': [`{"Mirror_endpoint":"${url}"}`, required],
  'the address in __proto__': [`{"__proto__":${good}}`, required],
  'the address null': ['{"mirror_endpoint":null}', required],
  'the last of two null': [`{"mirror_endpoint":"${url}","mirror_endpoint":null}`, required],
  'the address false': ['{"mirror_endpoint":false}', notAString],
  'the address in an array': [`{"mirror_endpoint":["${url}"]}`, notAString],
  'white space around it': [`{"mirror_endpoint":" ${url} "}`, notAUrl],
};

const blank: Record<string, string> = {
  empty: '',
  'line breaks and tabs': '\r\n\t\v\f',
  'U+FEFF': '\ufeff',
};

const set: Record<string, readonly [string, string]> = {
  'a leading byte order mark': [`${bom}${good}`, url],
  'keys that are not known': [`{"a":1,"mirror_endpoint":"${url}","__proto__":{"b":[]}}`, url],
  'the last of two': [`{"mirror_endpoint":"ftp://x","mirror_endpoint":"${url}"}`, url],
};

const asSent = [
  'HTTPS://EXAMPLE.COM',
  'https://b\u00fccher.example/\u00fc?\u{1F600}=%zz#\u00e4',
  'https://example.com/?click={click_id}&sub=[sub]|x&quote="\'`<>',
  'https://example.com/e\u0301\u00e9',
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
});
