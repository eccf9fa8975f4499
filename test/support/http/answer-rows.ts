import { bodyWith, type Given, goodBody } from './request.ts';
import type { HttpService } from './service.ts';

export const json = 'application/json; charset=utf-8';
export const keptAlive = { connection: 'keep-alive', 'keep-alive': 'timeout=75' };
/** On every answer to a call. */
export const standing = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store, no-transform',
};

export interface Row {
  readonly case: string;
  readonly asking: Given;
  readonly status: number;
  readonly because: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly closes?: boolean;
}

function row(of: string, asking: Given, status: number, because: string, message: string, headers = {}): Row {
  return { case: of, asking, status, because, body: JSON.stringify({ message }), headers };
}

const last = (...of: Parameters<typeof row>): Row => ({ ...row(...of), closes: true });

function noKey(of: string, asking: Given, because: string, challenge = ''): Row {
  const headers = { 'www-authenticate': `Bearer realm="campaign-mirror"${challenge}` };
  return row(of, asking, 401, because, 'Unauthenticated.', headers);
}

const invalidKey = (of: string, key: (service: HttpService) => string, because: string): Row =>
  noKey(of, (s) => header('Authorization', `Bearer ${key(s)}`)(s), because, ', error="invalid_token"');

function refused(kind: keyof HttpService['campaigns'], because: string): Row {
  const asking: Given = ({ campaigns }) => ({ campaign: campaigns[kind] });
  return row(because, asking, 403, because, 'This action is unauthorized.');
}

function unprocessable(of: string, body: string | undefined, because: string, said: string): Row {
  const message = `The mirror endpoint field ${said}.`;
  const invalid = JSON.stringify({ message, errors: { mirror_endpoint: [message] } });
  return { ...row(of, () => ({ body }), 422, because, message), body: invalid };
}

function header(name: string, value: string | readonly string[] | undefined): Given {
  return () => ({ headers: { [name]: value } });
}

const noCampaign = 'No query results for model [Campaign]';
const otherBody = 'The request body must be application/json in UTF-8, without a content encoding.';
const notJson = 'The request body is not valid JSON.';
const postOnly = (method: string) =>
  `The ${method} method is not supported for this route. Supported methods: POST.`;
const oneTag = 'If-Match must be one entity tag.';
const noNoneMatch = 'If-None-Match is not supported.';
const allow = { allow: 'POST' };
const twoKeys = header('Authorization', ['Bearer cm_nothing', 'Basic dXNlcjpwYXNz']);
const large = header('X', 'a'.repeat(17_000));
const noRoute = 'The route /public/v2 could not be found.';
const tooLarge = goodBody.padEnd(16_385);
const overTheLimit = 'The request body is too large.';
const denied = 'https://go.denied.example./x';
const noSuchCharacters = 'must not contain white space, backslashes or invisible characters';
const noCredentials = 'must not contain a user name or a password';
const tooLong = `https://go.denied.example/${'a'.repeat(2048)}`;

/** In the order of the checks: of two that are wrong the first is answered. */
export const inOrder: readonly Row[] = [
  last('header fields too large', large, 431, 'header-fields-too-large', 'Request Header Fields Too Large'),
  last('no Host', header('Host', undefined), 400, 'bad-request', 'Bad Request'),
  last('an unmet Expect', header('Expect', 'more'), 417, 'expectation-failed', 'Expectation Failed'),
  row('route unknown', () => ({ target: '/public/v2?a' }), 404, 'route-not-found', noRoute),
  row('another method', () => ({ method: 'PUT' }), 405, 'method-not-supported', postOnly('PUT'), allow),
  row('several keys', twoKeys, 400, 'repeated-authorization', 'More than one Authorization header.'),
  noKey('no key', header('Authorization', undefined), 'no-key'),
  noKey('not Bearer', header('Authorization', 'Basic dXNlcjpwYXNz'), 'no-key'),
  invalidKey('malformed key', () => 'cm_nothing', 'invalid-key'),
  row('content type', header('Content-Type', 'text/plain'), 415, 'unsupported-body', otherBody),
  row('content encoding', header('Content-Encoding', 'gzip'), 415, 'unsupported-body', otherBody),
  row('body over the limit', () => ({ body: tooLarge }), 413, 'body-too-large', overTheLimit),
  ...(['unknown', 'expired', 'revoked'] as const).map((kind) =>
    invalidKey(`${kind} key`, ({ keys }) => keys[kind], `${kind}-key`),
  ),
  row('no such campaign', () => ({ campaign: 424242 }), 404, 'campaign-not-found', `${noCampaign} 424242`),
  row('malformed identifier', () => ({ campaign: '042' }), 404, 'campaign-not-found', `${noCampaign} 042`),
  refused('withoutMirror', 'mirror-not-created'),
  refused('default', 'default-campaign'),
  refused('foreign', 'not-the-owner'),
  row('several tags', header('If-Match', '"1", "2"'), 400, 'not-one-tag', oneTag),
  row('If-None-Match', header('If-None-Match', '"1"'), 400, 'if-none-match', noNoneMatch),
  row('not JSON', () => ({ body: '{' }), 400, 'not-json', notJson),
  row('not UTF-8', () => ({ body: Buffer.from('"\xff"', 'latin1') }), 400, 'not-json', notJson),
  unprocessable('no address', '{}', 'required', 'is required'),
  unprocessable('no string', bodyWith(42), 'not-a-string', 'must be a string'),
  unprocessable('too long', bodyWith(tooLong), 'too-long', 'must not be greater than 2048 characters'),
  unprocessable('white space', bodyWith('ftp://a@b.example/ '), 'forbidden-character', noSuchCharacters),
  unprocessable(
    'a scheme',
    bodyWith('ftp://a@b.example/'),
    'not-http',
    'must start with http:// or https://',
  ),
  unprocessable('credentials', bodyWith('https://a@go.denied.example../'), 'credentials', noCredentials),
  unprocessable('no host', bodyWith('https://go.denied.example../'), 'not-a-url', 'must be a valid URL'),
  unprocessable('a denied host', bodyWith(denied), 'denied-host', 'must not point to this host'),
];

const tunnel: Given = () => ({ method: 'CONNECT', target: 'example.com:443', body: undefined });
const noHosts =
  'https:// https:///x https://????.example/ https://a.example:0/ https://a.example:6000/'.split(' ');
const unseen = ['https://a.example/{\u200dclick_id}', 'https://a\u3164.example/', 'https://a.example/\u200e'];
export const rows: readonly Row[] = [
  ...inOrder,
  ...noHosts.map((url) => unprocessable(url, bodyWith(url), 'not-a-url', 'must be a valid URL')),
  ...unseen.map((url) =>
    unprocessable(encodeURI(url), bodyWith(url), 'forbidden-character', noSuchCharacters),
  ),
  unprocessable('no body at all', undefined, 'required', 'is required'),
  last('CONNECT', tunnel, 405, 'method-not-supported', postOnly('CONNECT'), allow),
];
