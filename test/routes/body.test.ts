import { expect } from 'chai';
import {
  type Asking,
  ask,
  bodyWith,
  type Case,
  chunkedBytes,
  exchange,
  itAnswers,
} from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const url = 'https://example.com/';
const good = bodyWith(url);
const bom = '\u{FEFF}';
const notJson = 'The request body is not valid JSON.';
const required = 'The mirror endpoint field is required.';
const notAString = 'The mirror endpoint field must be a string.';
const notAUrl = 'The mirror endpoint field must be a valid URL.';
const tooLong = 'The mirror endpoint field must not be greater than 2048 characters.';

const latin1 = (text: string) => ({ body: Buffer.from(text, 'latin1') });
const unreadable: Record<string, Asking> = {
  'a blank': { body: ' ' },
  'a comment': { body: `${good}//` },
  'a byte that is no UTF-8 in another key': latin1(`{"x":"\xff","mirror_endpoint":"${url}"}`),
  'a character that is cut short at the end': latin1(`${good}\xe2\x82`),
  'UTF-16 with its mark': { body: Buffer.from(`${bom}${good}`, 'utf16le') },
  'two byte order marks': { body: `${bom}${bom}${good}` },
  'a byte order mark alone': { body: bom },
};
const unprocessable: Record<string, readonly [string, string]> = {
  'an array': [`[${good}]`, required],
  'a string': [`"${url}"`, required],
  null: ['null', required],
  'a key in another case': [`{"Mirror_endpoint":"${url}"}`, required],
  'the address in __proto__': [`{"__proto__":${good}}`, required],
  'the address null': [bodyWith(null), required],
  'the last of two null': [`{"mirror_endpoint":"${url}","mirror_endpoint":null}`, required],
  'an empty address': [bodyWith(''), required],
  'line breaks and tabs': [bodyWith('\r\n\t\v\f'), required],
  'U+FEFF': [bodyWith(bom), required],
  'a blank address that is too long': [bodyWith(' '.repeat(2049)), required],
  'the address false': [bodyWith(false), notAString],
  'the address in an array, too long': [bodyWith(['a'.repeat(2049)]), notAString],
  'no URL, too long': [bodyWith('a'.repeat(2049)), tooLong],
  'white space around it': [bodyWith(` ${url} `), notAUrl],
};
const asSent = [
  'HTTPS://EXAMPLE.COM',
  'https://b\u00fccher.example/\u00fc?\u{1F600}=%zz#\u00e4',
  'https://example.com/?click={click_id}&sub=[sub]|x&quote="\'`<>',
  'https://example.com/e\u0301\u00e9',
];
const set: Record<string, readonly [string, string]> = {
  'a leading byte order mark': [bom + good, url],
  'keys that are not known': [`{"a":1,"mirror_endpoint":"${url}","__proto__":{"b":[]}}`, url],
  'the last of two': [`{"mirror_endpoint":"ftp://x","mirror_endpoint":"${url}"}`, url],
  ...Object.fromEntries(asSent.map((address) => [address, [bodyWith(address), address]])),
};

describe('contract: answers: the body', () => {
  const service = withHttpService();

  itAnswers(service, {
    ...mapped(unreadable, (asking) => [asking, 400, notJson]),
    ...mapped(unprocessable, ([body, message]) => [{ body }, 422, message]),
  });

  it('nothing was set by any of these', async () => {
    expect(await service().world.others.history(service().campaigns.own)).to.deep.equal([]);
  });

  for (const [name, [body, address]] of Object.entries(set))
    it(`stored and returned exactly as sent: ${name}`, async () => {
      const answer = await ask(service(), { body });
      expect([answer.status, JSON.parse(answer.body).mirror?.target_url]).to.deep.equal([200, address]);
      const stored = await service().world.others.mirror(service().campaigns.own);
      expect(stored?.targetUrl).to.equal(address);
    });
});

const types = {
  200: ['APPLICATION/Json', 'application/json; charset=UTF-8', 'application/json;Charset="Utf-8"; version=1'],
  415: [
    ...[undefined, 'application/vnd.api+json', 'application/*', 'application/json, text/plain'],
    ...['application/json; charset=utf-16', 'application/json; charset=utf8', 'application/json; charset='],
    ['application/json', 'application/json'],
  ],
};
const encodings = { 200: ['identity', 'IDENTITY'], 415: ['utf-8', 'identity, gzip', ['identity', 'gzip']] };

describe('contract: order of checks, 4: the content type', () => {
  const service = withHttpService();

  for (const [header, values] of Object.entries({ 'Content-Type': types, 'Content-Encoding': encodings }))
    for (const status of [200, 415] as const)
      for (const value of values[status])
        itAnswers(service, { [`${header} ${value}`]: [{ headers: { [header]: value } }, status] });

  it('no body at all, whatever type it would have: 422', async () => {
    for (const headers of [{}, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' }])
      for (const length of [undefined, '0', '000']) {
        const asking = { headers: { ...headers, 'Content-Length': length }, body: undefined };
        expect((await ask(service(), asking)).body).to.include(required);
      }
  });

  it('none in chunks, where the type is looked at', async () => {
    const { status, body } = await exchange(service(), chunkedBytes(service(), []));
    expect([status, JSON.parse(body).message]).to.deep.equal([422, required]);
    const typed = chunkedBytes(service(), [], { headers: { 'Content-Type': 'text/plain' } });
    expect((await exchange(service(), typed)).status).to.equal(415);
  });
});

function mapped<T>(cases: Record<string, T>, how: (of: T) => Case): Record<string, Case> {
  return Object.fromEntries(Object.entries(cases).map(([name, of]) => [name, how(of)]));
}
