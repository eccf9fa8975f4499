import { expect } from 'chai';
import { ask, chunkedBytes, exchange } from '../support/http/request.ts';
import { withHttpService } from '../support/http/service.ts';

const accepted = [
  ...['APPLICATION/Json', 'application/json; charset=UTF-8', 'application/json;Charset="Utf-8"; version=1'],
];
const refused = [
  ...[undefined, 'text/plain', 'application/vnd.api+json', 'application/*', 'application/json, text/plain'],
  ...['application/json; charset=utf-16', 'application/json; charset=utf8', 'application/json; charset='],
  ['application/json', 'application/json'],
];
const unencoded = ['identity', 'IDENTITY'];
const encoded = ['gzip', 'utf-8', 'identity, gzip', ['identity', 'gzip']];

describe('contract: answers — content type', () => {
  const service = withHttpService();

  for (const [header, expected, values] of [
    ['Content-Type', 200, accepted],
    ['Content-Type', 415, refused],
    ['Content-Encoding', 200, unencoded],
    ['Content-Encoding', 415, encoded],
  ] as const) {
    for (const value of values) {
      it(`contract: answers — ${header} ${JSON.stringify(value) ?? 'absent'}: ${expected}`, async () => {
        expect((await ask(service(), { headers: { [header]: value } })).status).to.equal(expected);
      });
    }
  }
});

describe('contract: answers — no body at all', () => {
  const service = withHttpService();
  const required = 'The mirror endpoint field is required.';
  const expected = [422, JSON.stringify({ message: required, errors: { mirror_endpoint: [required] } })];
  const otherHeaders = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };

  for (const headers of [{}, otherHeaders, { 'Content-Type': undefined }]) {
    const named = JSON.stringify(headers);
    it(`contract: answers — no body at all: no Content-Length, or one of 0; headers ${named}`, async () => {
      for (const length of [undefined, '0', '000']) {
        const asking = { headers: { ...headers, 'Content-Length': length }, body: undefined };
        const { status, body } = await ask(service(), asking);
        expect([status, body]).to.deep.equal(expected);
      }
    });
  }

  it('contract: answers — no body at all: in chunks, where the type is looked at', async () => {
    const { status, body } = await exchange(service(), chunkedBytes(service(), []));
    expect([status, body]).to.deep.equal(expected);
    const typed = chunkedBytes(service(), [], { headers: { 'Content-Type': 'text/plain' } });
    expect((await exchange(service(), typed)).status).to.equal(415);
  });
});
