import type { AddressFault, MirrorNow, Outcome, Refusal } from '@campaign-mirror/domain';
import { addressFaults } from '@campaign-mirror/domain';

/** An HTTP answer. */
export interface Reply {
  readonly status: number;
  /** Undefined without a body. */
  readonly body?: string | Buffer;
  /** JSON by default. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The reason, for the log and the metrics; the caller does not see it. */
  readonly because?: string | undefined;
  /** Whether the connection closes after the answer. */
  readonly closes?: true;
}

/** The headers of every answer. */
export const standingHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store, no-transform',
};

const messageReply = (status: number, message: string, more: Partial<Reply> = {}): Reply => ({
  status,
  body: JSON.stringify({ message }),
  ...more,
});

/** `fault` continues the name of the field. */
function unprocessable(fault: string): Reply {
  const message = `The mirror endpoint field ${fault}.`;
  return { status: 422, body: JSON.stringify({ message, errors: { mirror_endpoint: [message] } }) };
}

/** Gives each reply its name as the reason. */
function withReasons<Kind extends string>(replies: Readonly<Record<Kind, Reply>>) {
  const all = Object.entries<Reply>(replies).map(([because, reply]) => [because, { ...reply, because }]);
  return Object.fromEntries(all) as Readonly<Record<Kind, Reply>>;
}

/** The challenge of a 401 (RFC 6750, section 3). */
const authenticate = (parameters = '') => ({
  headers: { 'WWW-Authenticate': `Bearer realm="campaign-mirror"${parameters}` },
});

/** The answers to requests that get no outcome of the use case. */
export const faultReplies = withReasons({
  'bad-request': messageReply(400, 'Bad Request', { closes: true }),
  'request-timeout': messageReply(408, 'Request Timeout', { closes: true }),
  'header-fields-too-large': messageReply(431, 'Request Header Fields Too Large', { closes: true }),
  'expectation-failed': messageReply(417, 'Expectation Failed', { closes: true }),
  'repeated-authorization': messageReply(400, 'More than one Authorization header.'),
  'no-key': messageReply(401, 'Unauthenticated.', authenticate()),
  'invalid-key': messageReply(401, 'Unauthenticated.', authenticate(', error="invalid_token"')),
  'unsupported-body': messageReply(
    415,
    'The request body must be application/json in UTF-8, without a content encoding.',
  ),
  'body-too-large': messageReply(413, 'The request body is too large.'),
  unavailable: messageReply(503, 'Service Unavailable', { headers: { 'Retry-After': '1' } }),
  unexpected: messageReply(500, 'Server Error'),
});
export type Fault = keyof typeof faultReplies;

/** On the operators' listener: the request was meant for another host. */
export const misdirected = messageReply(421, 'Misdirected Request', { because: 'other-host' });

/** The answer to an outcome. `campaign`: the identifier as sent in the path. `fault`: why there is no address. */
export function replyTo(outcome: Outcome, campaign: string, fault: RequestFault = 'required'): Reply {
  switch (outcome.kind) {
    case 'mirror-set':
      return withMirror(200, outcome);
    case 'condition-failed':
      // With the current mirror, on which the caller can decide again (RFC 9110, section 13.1.1).
      return withMirror(412, outcome, 'The mirror was changed meanwhile.', outcome.kind);
    case 'unauthenticated':
      return { ...faultReplies['invalid-key'], because: outcome.because ?? 'unknown-key' };
    case 'campaign-not-found':
      return campaignNotFound(campaign);
    case 'refused':
      return refused[outcome.because];
    case 'no-address':
      return unreadable[fault];
    case 'invalid-address':
      return invalidAddress[outcome.because];
  }
}

/** `resetIn`: the time until the limit admits another request, in milliseconds. */
export function tooManyAttempts(because: 'rate' | 'failed-keys', resetIn: number): Reply {
  // Rounded up: a caller that waits this long must be in the next window.
  const seconds = Math.max(Math.ceil(resetIn / 1_000), 1);
  return messageReply(429, 'Too Many Attempts.', { headers: { 'Retry-After': String(seconds) }, because });
}

const forbidden = messageReply(403, 'This action is unauthorized.');

/** All rules have the same answer. A rule without an entry does not compile. */
const refused: Readonly<Record<Refusal, Reply>> = withReasons({
  'mirror-not-created': forbidden,
  'default-campaign': forbidden,
  'not-the-owner': forbidden,
});

const unreadable = withReasons({
  'not-one-tag': messageReply(400, 'If-Match must be one entity tag.'),
  'if-none-match': messageReply(400, 'If-None-Match is not supported.'),
  'not-json': messageReply(400, 'The request body is not valid JSON.'),
  required: unprocessable('is required'),
  'not-a-string': unprocessable('must be a string'),
});
/** Why a request has no address to check, in the order of the checks. */
export type RequestFault = keyof typeof unreadable;

const texts = Object.entries(addressFaults).map(([fault, text]) => [fault, unprocessable(text)]);
const invalidAddress = withReasons<AddressFault>(Object.fromEntries(texts));

/** The mirror in JSON (contract: the mirror): these keys, in this order. */
function withMirror(
  status: number,
  { mirror, lastChange }: Pick<MirrorNow, 'mirror' | 'lastChange'>,
  message?: string,
  because?: string,
): Reply {
  const fields = {
    id: mirror.id,
    campaign_id: mirror.campaignId,
    target_url: mirror.targetUrl,
    clicks: mirror.clicks,
    updated_externally: mirror.updatedExternally,
    updated_externally_at: mirror.updatedExternallyAt,
    created_at: mirror.createdAt,
    updated_at: mirror.updatedAt,
  };
  const headers = { ETag: `"${lastChange}"` };
  return { status, body: JSON.stringify({ message, mirror: fields }), headers, because };
}

function campaignNotFound(campaign: string): Reply {
  const text = `No query results for model [Campaign] ${cut(campaign, 64)}`;
  return messageReply(404, text, { because: 'campaign-not-found' });
}

export function routeNotFound(path: string): Reply {
  return messageReply(404, `The route ${cut(path, 256)} could not be found.`, { because: 'route-not-found' });
}

/** `supported` are the methods of the route, for the `Allow` header (RFC 9110, section 15.5.6). */
export function methodNotSupported(method: string, supported: string): Reply {
  const text = `The ${method} method is not supported for this route. Supported methods: ${supported}.`;
  return messageReply(405, text, { headers: { Allow: supported }, because: 'method-not-supported' });
}

export const movedTo = (path: string) => messageReply(302, `See ${path}.`, { headers: { Location: path } });

/** The first code points; a surrogate pair is not split. */
function cut(text: string, characters: number): string {
  return text.length <= characters ? text : [...text].slice(0, characters).join('');
}

/** The reasons for a status other than 200. An identity, such as tokens, has reasons of its own. */
export const refusals: readonly { readonly status: number; readonly because: string }[] = [
  ...Object.values({ ...faultReplies, ...refused, ...unreadable, ...invalidAddress }),
  ...['unknown-key', 'expired-key', 'revoked-key'].map((because) => ({ status: 401, because })),
  campaignNotFound(''),
  { status: 412, because: 'condition-failed' },
  routeNotFound(''),
  methodNotSupported('', ''),
  tooManyAttempts('rate', 1),
  tooManyAttempts('failed-keys', 1),
].map(({ status, because = '' }) => ({ status, because }));
