import type { Asking } from './http-request.ts';
import { goodBody } from './http-request.ts';
import type { HttpService } from './http-service.ts';

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
const invalid = (text: string) => JSON.stringify({ message: text, errors: { mirror_endpoint: [text] } });
const realm = 'Bearer realm="campaign-mirror"';
const invalidToken = { 'www-authenticate': `${realm}, error="invalid_token"` };
const tooLong = `https://example.com/${'a'.repeat(2048)}`;

/** A row of the decisions' table: answers. */
export interface Row {
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

export const rows: readonly Row[] = [
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
  },
  {
    case: 'malformed key',
    asking: authorization(() => 'Bearer cm_nothing'),
    ...unauthenticated,
    headers: invalidToken,
  },
  {
    case: 'expired key',
    asking: authorization(({ keys }) => `Bearer ${keys.expired}`),
    ...unauthenticated,
    headers: invalidToken,
  },
  {
    case: 'revoked key',
    asking: authorization(({ keys }) => `Bearer ${keys.revoked}`),
    ...unauthenticated,
    headers: invalidToken,
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
