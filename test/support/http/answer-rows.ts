import { type Asking, goodBody } from './request.ts';
import type { HttpService } from './service.ts';

export const json = 'application/json; charset=utf-8';
export const keptAlive = { connection: 'keep-alive', 'keep-alive': 'timeout=75' };
/** On every answer to a call. */
export const standing = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
export const closing = { connection: 'close' };
const message = (text: string) => JSON.stringify({ message: text });
const realm = 'Bearer realm="campaign-mirror"';
const invalidToken = { 'www-authenticate': `${realm}, error="invalid_token"` };

/** A row of the table of answers (contract: answers). */
export interface Row {
  readonly case: string;
  readonly asking: (service: HttpService) => Asking;
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
  /** The connection ends with it. */
  readonly closes?: boolean;
}

type Given = (service: HttpService) => Asking;
/** An answer with a message, after which the connection goes on. */
function row(of: string, asking: Given, status: number, text: string, headers = {}): Row {
  return { case: of, asking, status, body: message(text), headers };
}

/** One with which the connection ends. */
function last(...of: Parameters<typeof row>): Row {
  return { ...row(...of), closes: true };
}

/** The answer to a body with something else for an address. */
function unprocessable(of: string, body: string | undefined, text: string): Row {
  const invalid = JSON.stringify({ message: text, errors: { mirror_endpoint: [text] } });
  return { case: of, asking: () => ({ body }), status: 422, body: invalid };
}

const address = (text: unknown) => JSON.stringify({ mirror_endpoint: text });
const header = (name: string, value: string | undefined) => () => ({ headers: { [name]: value } });
const withKey =
  (kind: keyof HttpService['keys']): Given =>
  ({ keys }) => ({ headers: { Authorization: `Bearer ${keys[kind]}` } });
const noCampaign = 'No query results for model [Campaign]';
const unauthorized = 'This action is unauthorized.';
const required = 'The mirror endpoint field is required.';
const otherBody = 'The request body must be application/json in UTF-8, without a content encoding.';
const postOnly = (method: string) =>
  `The ${method} method is not supported for this route. Supported methods: POST.`;
const challenge = { 'www-authenticate': realm };
const allow = { allow: 'POST' };
const twoKeys: Given = ({ keys }) => ({
  headers: { Authorization: [`Bearer ${keys.valid}`, `Bearer ${keys.valid}`] },
});
const overTheLimit = goodBody.padEnd(16_385);
const tunnel: Asking = { method: 'CONNECT', target: 'example.com:443', body: undefined };

export const rows: readonly Row[] = [
  last('no Host', header('Host', undefined), 400, 'Bad Request'),
  last('header fields too large', header('X', 'a'.repeat(17_000)), 431, 'Request Header Fields Too Large'),
  last('an Expect that is not met', header('Expect', 'the-unexpected'), 417, 'Expectation Failed'),
  row('no key', header('Authorization', undefined), 401, 'Unauthenticated.', challenge),
  row('not Bearer', header('Authorization', 'Basic dXNlcjpwYXNz'), 401, 'Unauthenticated.', challenge),
  row('more than one Authorization header', twoKeys, 400, 'More than one Authorization header.'),
  row('malformed key', header('Authorization', 'Bearer cm_nothing'), 401, 'Unauthenticated.', invalidToken),
  ...(['unknown', 'expired', 'revoked'] as const).map((kind) =>
    row(`${kind} key`, withKey(kind), 401, 'Unauthenticated.', invalidToken),
  ),
  row('no such campaign', () => ({ campaign: 424242 }), 404, `${noCampaign} 424242`),
  row('path identifier not an integer', () => ({ campaign: 'forty-two' }), 404, `${noCampaign} forty-two`),
  row('mirror not created', ({ campaigns }) => ({ campaign: campaigns.withoutMirror }), 403, unauthorized),
  row('default campaign', ({ campaigns }) => ({ campaign: campaigns.default }), 403, unauthorized),
  row('not the owner', ({ campaigns }) => ({ campaign: campaigns.foreign }), 403, unauthorized),
  unprocessable('mirror_endpoint absent', '{}', required),
  unprocessable('mirror_endpoint not a string', address(42), 'The mirror endpoint field must be a string.'),
  unprocessable(
    'mirror_endpoint too long',
    address(`https://example.com/${'a'.repeat(2048)}`),
    'The mirror endpoint field must not be greater than 2048 characters.',
  ),
  unprocessable(
    'mirror_endpoint not an acceptable address',
    address('ftp://example.com/'),
    'The mirror endpoint field must be a valid URL.',
  ),
  unprocessable(
    'a host that the operator denies',
    address('https://go.denied.example./x'),
    'The mirror endpoint field must not point to this host.',
  ),
  row('body not JSON', () => ({ body: '{' }), 400, 'The request body is not valid JSON.'),
  unprocessable('no body at all', undefined, required),
  row('content type', header('Content-Type', 'text/plain'), 415, otherBody),
  row('content encoding', header('Content-Encoding', 'gzip'), 415, otherBody),
  row('body over the limit', () => ({ body: overTheLimit }), 413, 'The request body is too large.'),
  row('route unknown', () => ({ target: '/public/v2?a' }), 404, 'The route /public/v2 could not be found.'),
  row('method other than POST', () => ({ method: 'PUT' }), 405, postOnly('PUT'), allow),
  last('CONNECT', () => tunnel, 405, postOnly('CONNECT'), allow),
];
