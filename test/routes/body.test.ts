import { expect } from 'chai';
import { type Asking, ask, bodyWith, chunkedBytes, exchange } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const url = 'https://example.com/';
const good = bodyWith(url);
const bom = '\u{FEFF}';
const notJson = 'The request body is not valid JSON.';
const required = 'The mirror endpoint field is required.';
const notAString = 'The mirror endpoint field must be a string.';
const notUtf8 = Buffer.from(`{"x":"\xff","mirror_endpoint":"${url}"}`, 'latin1');

const refused: Record<string, readonly [Asking['body'], number, string]> = {
  'a space': [' ', 400, notJson],
  'a key that is not UTF-8': [notUtf8, 400, notJson],
  'a byte order mark alone': [bom, 400, notJson],
  'an array': [`[${good}]`, 422, required],
  'an address in __proto__': [`{"__proto__":${good}}`, 422, required],
  'the address null': [bodyWith(null), 422, required],
  'a blank address that is too long': [bodyWith(' '.repeat(2049)), 422, required],
  'an array that is too long': [bodyWith(['a'.repeat(2049)]), 422, notAString],
};
const unicode = 'HTTPS://B\u00fccher.example/e\u0301\u00e9?\u{1F600}=%zz#\u00e4';
const macros = 'https://example.com/?click={click_id}&sub=[sub]|x&quote="\'`<>';
const accepted: Record<string, readonly [body: string, address: string]> = {
  'a byte order mark before it': [bom + good, url],
  'unknown keys beside it': [`{"a":1,"mirror_endpoint":"${url}","__proto__":{"b":[]}}`, url],
  'Unicode in it': [bodyWith(unicode), unicode],
  'macros in it': [bodyWith(macros), macros],
};

const headers: Record<string, Record<number, readonly (string | readonly string[] | undefined)[]>> = {
  'Content-Type': {
    200: [
      'APPLICATION/Json',
      'application/json;Charset="Utf-8"; version=1',
      'application/json; charset=utf8',
    ],
    415: [
      ...[undefined, 'application/vnd.api+json', 'application/json, text/plain'],
      ...['utf-16', 'utf_8', ''].map((charset) => `application/json; charset=${charset}`),
      ['application/json', 'application/json'],
    ],
  },
  'Content-Encoding': {
    200: ['identity', 'IDENTITY', '', ' , identity,'],
    415: ['utf-8', 'identity, gzip', ['identity', 'gzip'], ['', 'gzip']],
  },
  Expect: { 200: ['', ' ', ',', ['', '']], 417: ['more', '100-continue, more', ['', 'more']] },
};

describe('contract: answers: the address in the body is stored exactly as it was sent', () => {
  const service = withHttpService();

  for (const [name, [body, status, message]] of Object.entries(refused))
    it(`a body with ${name} is ${status}`, async () => {
      const answer = await ask(service(), { body });
      expect([answer.status, JSON.parse(answer.body).message]).to.deep.equal([status, message]);
      expect(await service().world.others.history(service().campaigns.own)).to.deep.equal([]);
    });

  for (const [name, [body, address]] of Object.entries(accepted))
    it(`an address with ${name} is stored and returned as it was sent`, async () => {
      const answer = await ask(service(), { body });
      expect([answer.status, JSON.parse(answer.body).mirror?.target_url]).to.deep.equal([200, address]);
      const stored = await service().world.others.mirror(service().campaigns.own);
      expect(stored?.targetUrl).to.equal(address);
    });

  for (const [header, statuses] of Object.entries(headers))
    it(`contract: order of checks: ${header} decides how the body is read`, async () => {
      for (const [status, values] of Object.entries(statuses))
        for (const value of values) {
          const answer = await ask(service(), { headers: { [header]: value } });
          expect(answer.status, String(value)).to.equal(Number(status));
        }
    });

  it('a request without a body is 422, whatever its content type is', async () => {
    for (const length of [undefined, '0', '000']) {
      const other = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip', 'Content-Length': length };
      expect((await ask(service(), { headers: other, body: undefined })).body).to.include(required);
    }
    expect((await exchange(service(), chunkedBytes(service(), []))).body).to.include(required);
    // The headers do not show that there are no chunks.
    const typed = chunkedBytes(service(), [], { headers: { 'Content-Type': 'text/plain' } });
    expect((await exchange(service(), typed)).status).to.equal(415);
  });
});
