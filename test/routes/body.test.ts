import { mock } from 'node:test';
import { expect } from 'chai';
import { type Asking, ask, bodyWith, chunkedBytes, exchange } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const url = 'https://example.com/';
const good = bodyWith(url);
const bom = '\u{FEFF}';
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const notJson = 'The request body is not valid JSON.';
const required = 'The mirror endpoint field is required.';
const notAString = 'The mirror endpoint field must be a string.';

const refused: Record<string, readonly [Asking['body'], number, string]> = {
  'a blank': [' ', 400, notJson],
  'a byte that is no UTF-8 in another key': [latin1(`{"x":"\xff","mirror_endpoint":"${url}"}`), 400, notJson],
  'a byte order mark alone': [bom, 400, notJson],
  'an array': [`[${good}]`, 422, required],
  'the address in __proto__': [`{"__proto__":${good}}`, 422, required],
  'the address null': [bodyWith(null), 422, required],
  'a blank address that is too long': [bodyWith(' '.repeat(2049)), 422, required],
  'the address in an array, too long': [bodyWith(['a'.repeat(2049)]), 422, notAString],
};
const set: Record<string, readonly [body: string, address: string]> = {
  'a leading byte order mark': [bom + good, url],
  'keys that are not known': [`{"a":1,"mirror_endpoint":"${url}","__proto__":{"b":[]}}`, url],
};
for (const address of [
  'HTTPS://B\u00fccher.example/e\u0301\u00e9?\u{1F600}=%zz#\u00e4',
  'https://example.com/?click={click_id}&sub=[sub]|x&quote="\'`<>',
])
  set[address] = [bodyWith(address), address];

const headers: Record<string, Record<number, readonly (string | readonly string[] | undefined)[]>> = {
  'Content-Type': {
    200: [
      ...['APPLICATION/Json', 'application/json;Charset="Utf-8"; version=1', 'application/json;'],
      ...['application/json; charset=utf8', 'application/json;charset="UTF8"'],
    ],
    415: [
      ...[undefined, 'application/vnd.api+json', 'application/*', 'application/json, text/plain'],
      ...['utf-16', 'utf_8', ''].map((charset) => `application/json; charset=${charset}`),
      ['application/json', 'application/json'],
    ],
  },
  'Content-Encoding': {
    200: ['identity', 'IDENTITY', '', ' , identity,'],
    415: ['utf-8', 'identity, gzip', ['identity', 'gzip'], ['', 'gzip']],
  },
  Expect: {
    200: ['', ' ', ',', ['', '']],
    417: ['more', '100-continue, more', ['', 'more']],
  },
};

describe('contract: answers: the body', () => {
  const service = withHttpService();

  for (const [name, [body, expected, message]] of Object.entries(refused))
    it(`${name}: ${expected}`, async () => {
      const answer = await ask(service(), { body });
      expect([answer.status, JSON.parse(answer.body).message]).to.deep.equal([expected, message]);
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

  for (const [header, statuses] of Object.entries(headers))
    it(`contract: order of checks, 1 and 4: ${header}`, async () => {
      for (const [status, values] of Object.entries(statuses))
        for (const value of values) {
          const answer = await ask(service(), { headers: { [header]: value } });
          expect(answer.status, String(value)).to.equal(Number(status));
        }
    });

  it('no body at all, whatever type it would have, and one in no chunks: 422', async () => {
    for (const length of [undefined, '0', '000']) {
      const unread = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip', 'Content-Length': length };
      const asking = { headers: unread, body: undefined };
      expect((await ask(service(), asking)).body).to.include(required);
    }
    expect((await exchange(service(), chunkedBytes(service(), []))).body).to.include(required);
    // Of one in chunks the type is looked at, before it is known that there are none.
    const typed = chunkedBytes(service(), [], { headers: { 'Content-Type': 'text/plain' } });
    expect((await exchange(service(), typed)).status).to.equal(415);
  });

  it('a body is parsed only where the answer needs it', async () => {
    const { keys } = service();
    await ask(service());
    const deep = '['.repeat(16_000);
    const parsed = mock.method(JSON, 'parse');
    const parses = () => parsed.mock.calls.splice(0).filter(({ arguments: [text] }) => text === deep).length;
    const told: unknown[] = [];
    for (const asking of [
      ...[keys.unknown, keys.expired].map((key) => ({ headers: { Authorization: `Bearer ${key}` } })),
      ...[{ campaign: '042' }, {}],
    ])
      told.push([(await ask(service(), { ...asking, body: deep })).status, parses()]);
    parsed.mock.restore();
    expect(told.join(' ')).to.equal('401,0 401,0 404,0 400,1');
  });
});
