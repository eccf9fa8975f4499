import { expect } from 'chai';
import { type Asking, ask, goodBody, newAddress } from './support/http-request.ts';
import { type HttpService, withHttpService } from './support/http-service.ts';

const json = 'application/json; charset=utf-8';
const keptAlive = { connection: 'keep-alive', 'keep-alive': 'timeout=75' };
const closing = { connection: 'close' };
const message = (text: string) => JSON.stringify({ message: text });
const invalid = (text: string) => JSON.stringify({ message: text, errors: { mirror_endpoint: [text] } });
const realm = 'Bearer realm="campaign-mirror"';
const invalidToken = { 'www-authenticate': `${realm}, error="invalid_token"` };
const tooLong = `https://example.com/${'a'.repeat(2048)}`;

interface Row {
  readonly case: string;
  readonly asking: (service: HttpService) => Asking;
  readonly status: number;
  readonly reason: string;
  readonly body: string;
  readonly headers?: Record<string, string>;
  /** The connection ends with it. */
  readonly closes?: boolean;
}

const endpoint = (value: unknown) => () => ({ body: JSON.stringify({ mirror_endpoint: value }) });
const authorization =
  (value: (service: HttpService) => string | readonly string[] | undefined) => (service: HttpService) => ({
    headers: { Authorization: value(service) },
  });
const unauthorized = { status: 403, reason: 'Forbidden', body: message('This action is unauthorized.') };
const unauthenticated = { status: 401, reason: 'Unauthorized', body: message('Unauthenticated.') };
const unprocessable = (text: string) => ({
  status: 422,
  reason: 'Unprocessable Entity',
  body: invalid(text),
});

const rows: readonly Row[] = [
  {
    case: 'no Host',
    asking: () => ({ headers: { Host: undefined } }),
    status: 400,
    reason: 'Bad Request',
    body: message('Bad Request'),
    closes: true,
  },
  {
    case: 'header fields too large',
    asking: () => ({ headers: { 'X-Long': 'a'.repeat(17_000) } }),
    status: 431,
    reason: 'Request Header Fields Too Large',
    body: message('Request Header Fields Too Large'),
    closes: true,
  },
  {
    case: 'an Expect that is not met',
    asking: () => ({ headers: { Expect: 'the-unexpected' } }),
    status: 417,
    reason: 'Expectation Failed',
    body: message('Expectation Failed'),
    closes: true,
  },
  {
    case: 'no key',
    asking: authorization(() => undefined),
    ...unauthenticated,
    headers: { 'www-authenticate': realm },
    closes: true,
  },
  {
    case: 'not Bearer',
    asking: authorization(() => 'Basic dXNlcjpwYXNz'),
    ...unauthenticated,
    headers: { 'www-authenticate': realm },
    closes: true,
  },
  {
    case: 'more than one Authorization header',
    asking: authorization(({ keys }) => [`Bearer ${keys.valid}`, `Bearer ${keys.valid}`]),
    status: 400,
    reason: 'Bad Request',
    body: message('More than one Authorization header.'),
    closes: true,
  },
  {
    case: 'unknown key',
    asking: authorization(({ keys }) => `Bearer ${keys.unknown}`),
    ...unauthenticated,
    headers: invalidToken,
    closes: true,
  },
  {
    case: 'malformed key',
    asking: authorization(() => 'Bearer cm_nothing'),
    ...unauthenticated,
    headers: invalidToken,
    closes: true,
  },
  {
    case: 'expired key',
    asking: authorization(({ keys }) => `Bearer ${keys.expired}`),
    ...unauthenticated,
    headers: invalidToken,
    closes: true,
  },
  {
    case: 'revoked key',
    asking: authorization(({ keys }) => `Bearer ${keys.revoked}`),
    ...unauthenticated,
    headers: invalidToken,
    closes: true,
  },
  {
    case: 'no such campaign',
    asking: () => ({ campaign: 424242 }),
    status: 404,
    reason: 'Not Found',
    body: message('No query results for model [Campaign] 424242'),
  },
  {
    case: 'path identifier not an integer',
    asking: () => ({ campaign: 'forty-two' }),
    status: 404,
    reason: 'Not Found',
    body: message('No query results for model [Campaign] forty-two'),
  },
  {
    case: 'mirror not created',
    asking: ({ campaigns }) => ({ campaign: campaigns.withoutMirror }),
    ...unauthorized,
  },
  {
    case: 'default campaign',
    asking: ({ campaigns }) => ({ campaign: campaigns.default }),
    ...unauthorized,
  },
  { case: 'not the owner', asking: ({ campaigns }) => ({ campaign: campaigns.foreign }), ...unauthorized },
  {
    case: 'mirror_endpoint absent',
    asking: () => ({ body: '{}' }),
    ...unprocessable('The mirror endpoint field is required.'),
  },
  {
    case: 'mirror_endpoint not a string',
    asking: endpoint(42),
    ...unprocessable('The mirror endpoint field must be a string.'),
  },
  {
    case: 'mirror_endpoint too long',
    asking: endpoint(tooLong),
    ...unprocessable('The mirror endpoint field must not be greater than 2048 characters.'),
  },
  {
    case: 'mirror_endpoint not an acceptable address',
    asking: endpoint('ftp://example.com/'),
    ...unprocessable('The mirror endpoint field must be a valid URL.'),
  },
  {
    case: 'a host that the operator denies',
    asking: endpoint('https://go.denied.example./x'),
    ...unprocessable('The mirror endpoint field must not point to this host.'),
  },
  {
    case: 'body not JSON',
    asking: () => ({ body: '{' }),
    status: 400,
    reason: 'Bad Request',
    body: message('The request body is not valid JSON.'),
  },
  {
    case: 'no body at all',
    asking: () => ({ body: undefined }),
    ...unprocessable('The mirror endpoint field is required.'),
  },
  {
    case: 'content type',
    asking: () => ({ headers: { 'Content-Type': 'text/plain' } }),
    status: 415,
    reason: 'Unsupported Media Type',
    body: message('The request body must be application/json in UTF-8, without a content encoding.'),
    closes: true,
  },
  {
    case: 'content encoding',
    asking: () => ({ headers: { 'Content-Encoding': 'gzip' } }),
    status: 415,
    reason: 'Unsupported Media Type',
    body: message('The request body must be application/json in UTF-8, without a content encoding.'),
    closes: true,
  },
  {
    case: 'body over the limit',
    asking: () => ({ body: `${goodBody}${' '.repeat(16_384)}` }),
    status: 413,
    reason: 'Payload Too Large',
    body: message('The request body is too large.'),
    closes: true,
  },
  {
    case: 'route unknown',
    asking: () => ({ target: '/public/v2?secret=1' }),
    status: 404,
    reason: 'Not Found',
    body: message('The route /public/v2 could not be found.'),
    closes: true,
  },
  {
    case: 'method other than POST',
    asking: () => ({ method: 'PUT' }),
    status: 405,
    reason: 'Method Not Allowed',
    body: message('The PUT method is not supported for this route. Supported methods: POST.'),
    headers: { allow: 'POST' },
    closes: true,
  },
  {
    case: 'CONNECT',
    asking: () => ({ method: 'CONNECT', target: 'example.com:443', body: undefined }),
    status: 405,
    reason: 'Method Not Allowed',
    body: message('The CONNECT method is not supported for this route. Supported methods: POST.'),
    headers: { allow: 'POST' },
    closes: true,
  },
];

describe('decisions: answers', () => {
  const deniedHosts = { exact: new Set(['go.denied.example']), below: new Set() } as never;
  const service = withHttpService({ deniedHosts });

  for (const row of rows) {
    it(`decisions: answers — ${row.case}`, async () => {
      const { status, reason, headers, body } = await ask(service(), row.asking(service()));
      const { date, 'x-request-id': requestId, ...others } = headers;
      expect([status, reason, body]).to.deep.equal([row.status, row.reason, row.body]);
      expect(others).to.deep.equal({
        'content-type': json,
        'content-length': String(Buffer.byteLength(row.body)),
        ...row.headers,
        ...(row.closes ? closing : keptAlive),
      });
      expect(date).to.match(/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
      expect(requestId).to.match(/^[\x21-\x7e]{1,128}$/);
    });
  }

  it('decisions: answers — mirror set: 200, the keys in their order', async () => {
    const { campaigns, world } = service();
    const { status, reason, headers, body } = await ask(service());
    const stored = await world.others.mirror(campaigns.own);
    const expected = {
      mirror: {
        id: stored?.id,
        campaign_id: campaigns.own,
        target_url: newAddress,
        clicks: 0,
        updated_externally: true,
        updated_externally_at: stored?.updatedAt,
        created_at: stored?.createdAt,
        updated_at: stored?.updatedAt,
      },
    };
    expect([status, reason, body]).to.deep.equal([200, 'OK', JSON.stringify(expected)]);
    const { date: _, 'x-request-id': __, ...others } = headers;
    expect(others).to.deep.equal({
      'content-type': json,
      'content-length': String(Buffer.byteLength(body)),
      ...keptAlive,
    });
  });

  it('decisions: answers — OPTIONS: 204 with Allow, without a body', async () => {
    const { status, headers } = await ask(service(), { method: 'OPTIONS', body: undefined });
    const { date: _, 'x-request-id': __, ...others } = headers;
    expect(status).to.equal(204);
    expect(others).to.deep.equal({ allow: 'POST', ...keptAlive });
  });

  const same = {
    'the four of an invalid key': ['unknown key', 'malformed key', 'expired key', 'revoked key'],
    'the three of an unauthorized action': ['mirror not created', 'default campaign', 'not the owner'],
  };
  for (const [name, cases] of Object.entries(same)) {
    it(`decisions: answers — ${name} differ in Date and X-Request-Id only`, async () => {
      for (const body of [undefined, goodBody]) {
        const answers = [];
        for (const row of rows.filter((one) => cases.includes(one.case))) {
          const { headers, ...rest } = await ask(service(), { ...row.asking(service()), body });
          const names = Object.keys(headers);
          answers.push({ ...rest, names, headers: { ...headers, date: '', 'x-request-id': '' } });
        }
        expect(answers).to.have.length(cases.length);
        for (const answer of answers) expect(answer).to.deep.equal(answers[0]);
      }
    });
  }

  it('specification 7 — each error body is an object with a string message, and errors for a 422 only', async () => {
    for (const row of rows) {
      const { status, body } = await ask(service(), row.asking(service()));
      const read = JSON.parse(body);
      expect(read.message).to.be.a('string');
      expect(Object.keys(read)).to.deep.equal(status === 422 ? ['message', 'errors'] : ['message']);
    }
  });

  it('decisions: answers — JSON whatever Accept says', async () => {
    for (const Accept of ['text/html', 'application/xml;q=1', '', '*/*;q=0']) {
      const { status, headers } = await ask(service(), { headers: { Accept } });
      expect([status, headers['content-type']]).to.deep.equal([200, json]);
    }
  });
});
