import { bodyWith, type Given, goodBody } from './request.ts';
import type { HttpService } from './service.ts';

export const json = 'application/json; charset=utf-8';
export const keptAlive = { connection: 'keep-alive', 'keep-alive': 'timeout=75' };
/** Headers of every answer to a call. */
export const standing = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store, no-transform',
};

type Row = ReturnType<typeof row>;

function row(of: string, asking: Given, status: number, because: string, message: string, headers = {}) {
  return { case: of, asking, status, because, body: JSON.stringify({ message }), headers, closes: false };
}

const last = (...of: Parameters<typeof row>): Row => ({ ...row(...of), closes: true });

function noKey(of: string, asking: Given, because: string, error = ''): Row {
  const headers = { 'www-authenticate': `Bearer realm="campaign-mirror"${error}` };
  return row(of, asking, 401, because, 'Unauthenticated.', headers);
}

const invalidKey = (of: string, key: (service: HttpService) => string, because: string): Row =>
  noKey(of, (s) => header('Authorization', `Bearer ${key(s)}`)(s), because, ', error="invalid_token"');

const forbidden = (kind: keyof HttpService['campaigns'], because: string): Row =>
  row(because, (s) => ({ campaign: s.campaigns[kind] }), 403, because, 'This action is unauthorized.');

function unprocessable(body: string | undefined, because: string, said: string): Row {
  const message = `The mirror endpoint field ${said}.`;
  const unset = row(`${because} in ${body?.slice(0, 60)}`, () => ({ body }), 422, because, message);
  return { ...unset, body: JSON.stringify({ message, errors: { mirror_endpoint: [message] } }) };
}

function header(name: string, value: string | readonly string[] | undefined): Given {
  return () => ({ headers: { [name]: value } });
}

const noCampaign = 'No query results for model [Campaign]';
const otherBody = 'The request body must be application/json in UTF-8, without a content encoding.';
const notJson = 'The request body is not valid JSON.';
const noSuchCharacters = 'must not contain white space, backslashes or invisible characters';
const noCredentials = 'must not contain a user name or a password';
const noneMatch = 'If-None-Match is not supported.';
const noRoute = 'The route /public/v2 could not be found.';
const tooLarge = goodBody.padEnd(16_385);
const overTheLimit = 'The request body is too large.';
const twoKeys = header('Authorization', ['Bearer cm_nothing', 'Basic dXNlcjpwYXNz']);
const large = header('X', 'a'.repeat(17_000));
const tooLong = bodyWith(`https://go.denied.example/${'a'.repeat(2048)}`);
const otherMethod = (of: string, asking: Given): Row => {
  const message = `The ${of} method is not supported for this route. Supported methods: POST.`;
  return row(of, asking, 405, 'method-not-supported', message, { allow: 'POST' });
};
const tunnel: Given = () => ({ method: 'CONNECT', target: 'example.com:443', body: undefined });

/** In the order of the checks: of two faults in a request, the first one is answered. */
export const inOrder: readonly Row[] = [
  last('header fields too large', large, 431, 'header-fields-too-large', 'Request Header Fields Too Large'),
  last('no Host', header('Host', undefined), 400, 'bad-request', 'Bad Request'),
  last('an unknown Expect', header('Expect', 'more'), 417, 'expectation-failed', 'Expectation Failed'),
  row('an unknown route', () => ({ target: '/public/v2?a' }), 404, 'route-not-found', noRoute),
  otherMethod('PUT', () => ({ method: 'PUT' })),
  row('several keys', twoKeys, 400, 'repeated-authorization', 'More than one Authorization header.'),
  noKey('no key', header('Authorization', undefined), 'no-key'),
  noKey('another scheme', header('Authorization', 'Basic dXNlcjpwYXNz'), 'no-key'),
  invalidKey('a malformed key', () => 'cm_nothing', 'invalid-key'),
  row('another content type', header('Content-Type', 'text/plain'), 415, 'unsupported-body', otherBody),
  row('a content encoding', header('Content-Encoding', 'gzip'), 415, 'unsupported-body', otherBody),
  row('a body over the limit', () => ({ body: tooLarge }), 413, 'body-too-large', overTheLimit),
  ...(['unknown', 'expired', 'revoked'] as const).map((kind) =>
    invalidKey(`an ${kind} key`, ({ keys }) => keys[kind], `${kind}-key`),
  ),
  row('an unknown campaign', () => ({ campaign: 424242 }), 404, 'campaign-not-found', `${noCampaign} 424242`),
  row('a malformed campaign', () => ({ campaign: '042' }), 404, 'campaign-not-found', `${noCampaign} 042`),
  forbidden('withoutMirror', 'mirror-not-created'),
  forbidden('default', 'default-campaign'),
  forbidden('foreign', 'not-the-owner'),
  row('two tags', header('If-Match', '"1", "2"'), 400, 'not-one-tag', 'If-Match must be one entity tag.'),
  row('If-None-Match', header('If-None-Match', '"1"'), 400, 'if-none-match', noneMatch),
  row('a body that is not JSON', () => ({ body: '{' }), 400, 'not-json', notJson),
  row('a body that is not UTF-8', () => ({ body: Buffer.of(0x22, 0xff, 0x22) }), 400, 'not-json', notJson),
  unprocessable('{}', 'required', 'is required'),
  unprocessable(bodyWith(42), 'not-a-string', 'must be a string'),
  unprocessable(tooLong, 'too-long', 'must not be greater than 2048 characters'),
  unprocessable(bodyWith('ftp://a@b.example/ '), 'forbidden-character', noSuchCharacters),
  unprocessable(bodyWith('ftp://a@b/'), 'not-http', 'must start with http:// or https://'),
  unprocessable(bodyWith('https://a@go.denied.example../'), 'credentials', noCredentials),
  unprocessable(bodyWith('https://go.denied.example../'), 'not-a-url', 'must be a valid URL'),
  unprocessable(bodyWith('https://go.denied.example./x'), 'denied-host', 'must not point to this host'),
];

export const rows: readonly Row[] = [
  ...inOrder,
  unprocessable(undefined, 'required', 'is required'),
  { ...otherMethod('CONNECT', tunnel), closes: true },
];
