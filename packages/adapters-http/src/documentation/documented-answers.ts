import type { AddressFault, Mirror, Refusal } from '@campaign-mirror/domain';
import {
  type BodyFault,
  type Fault,
  methodNotSupported,
  type Replies,
  type Reply,
  routeNotFound,
} from '../answers/replies.ts';

/** An answer as documented for callers. */
export interface DocumentedAnswer {
  readonly name: string;
  /** When it is given. */
  readonly when: string;
  readonly reply: Reply;
}

// A new reason does not compile until it is documented here.
const faults: Readonly<Record<Fault, string>> = {
  'bad-request': 'The request cannot be understood; the connection closes.',
  'request-timeout': 'The request arrived too slowly; nothing was changed, and the connection closes.',
  'header-fields-too-large': 'The headers, or the path, are larger than 16 KiB; the connection closes.',
  'expectation-failed': '`Expect` is not `100-continue`; the connection closes.',
  'repeated-authorization': 'There is more than one `Authorization` header.',
  'no-key': 'There is no key, or the scheme is not `Bearer`.',
  'invalid-key': 'The key is unknown, malformed, expired or revoked.',
  'unsupported-body': 'The body is not `application/json` in UTF-8, or has a content encoding.',
  'body-too-large': 'The body is larger than the limit.',
  unavailable:
    'The database is unavailable or slow, or the service is overloaded. Whether the mirror was set is unknown. Wait for `Retry-After` seconds and send the request again: that is safe, unless somebody else set another address meanwhile.',
  unexpected: 'A fault of the service. Report it with its `X-Request-Id`.',
};

const refusals: Readonly<Record<Refusal, string>> = {
  'mirror-not-created': 'The mirror was not created in the settings of the campaign.',
  'default-campaign': 'The campaign is the default one.',
  'not-the-owner': 'The key does not belong to the owner of the campaign.',
};

const bodyFaults: Readonly<Record<BodyFault, string>> = {
  'not-json': 'The body is not JSON, or not UTF-8.',
  required: '`mirror_endpoint` is missing, null or blank, or the body is not an object.',
  'not-a-string': '`mirror_endpoint` is not a string.',
};

const addressFaults: Readonly<Record<AddressFault, string>> = {
  'too-long': 'The address has more than 2048 characters.',
  'not-a-url':
    'It is not an absolute `http` or `https` URL, or holds credentials, white space, a control character or a backslash.',
  'denied-host': 'The operator allows no mirror on this host.',
};

/** Faults of a request that can occur on any path. */
const ofAnyPath: readonly Fault[] = [
  ...(['bad-request', 'request-timeout', 'expectation-failed'] as const),
  ...(['header-fields-too-large', 'unexpected', 'unavailable'] as const),
];

/** The headers of an answer to a counted call, here with nothing left. */
const usedUp = {
  'X-RateLimit-Limit': '600',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '1795190160',
};

/** The call exceeds the rate that the operator allows. */
function tooManyAttempts(replies: Replies): DocumentedAnswer {
  const reply = replies.tooManyAttempts('rate', 30);
  return {
    name: 'too-many-attempts',
    when: 'There were more requests than the operator allows with this key, or too many refused keys from this address. Wait for `Retry-After` seconds.',
    reply: { ...reply, headers: { ...reply.headers, ...usedUp } },
  };
}

/** All answers to a call, in an order that is useful to a reader. */
export function answersToCall(replies: Replies): DocumentedAnswer[] {
  const asked = { campaign: '42' };
  const mirrorSet = replies.outcome({ kind: 'mirror-set', mirror: exampleMirror }, asked);
  const missing = replies.outcome({ kind: 'campaign-not-found' }, asked);
  const route = '/public/v1/mirrors';
  return [
    { name: 'mirror-set', when: 'The mirror was set, and the change is committed.', reply: mirrorSet },
    ...told(faults, (kind) => replies.fault(kind)),
    ...told(refusals, (because) => replies.outcome({ kind: 'refused', because }, asked)),
    { name: 'campaign-not-found', when: 'There is no such campaign.', reply: missing },
    { name: 'route-not-found', when: 'There is no such path.', reply: routeNotFound(route) },
    {
      name: 'method-not-supported',
      when: 'The method is not `POST`.',
      reply: methodNotSupported('PUT', 'POST'),
    },
    ...told(bodyFaults, (fault) => replies.outcome({ kind: 'no-address' }, { ...asked, fault })),
    ...told(addressFaults, (because) => replies.outcome({ kind: 'invalid-address', because }, asked)),
    tooManyAttempts(replies),
  ];
}

/** The answers that a request for any path can get, besides those of the path. */
export function answersAnywhere(replies: Replies): DocumentedAnswer[] {
  return ofAnyPath.map((kind) => ({ name: kind, when: faults[kind], reply: replies.fault(kind) }));
}

/** The answers of a read-only page. */
export const onlyRead: DocumentedAnswer = {
  name: 'method-not-supported',
  when: 'The method is neither `GET` nor `HEAD`.',
  reply: methodNotSupported('PUT', 'GET, HEAD'),
};

function told<Kind extends string>(
  when: Readonly<Record<Kind, string>>,
  reply: (kind: Kind) => Reply,
): DocumentedAnswer[] {
  const kinds = Object.keys(when) as Kind[];
  return kinds.map((name) => ({ name, when: when[name], reply: reply(name) }));
}

const exampleMirror = {
  id: 7,
  campaignId: 42,
  targetUrl: 'https://second.example/?click={click_id}',
  clicks: 1024,
  updatedExternally: true,
  updatedExternallyAt: '2026-11-20T15:36:00.123456Z',
  createdAt: '2026-01-31T08:00:00.000000Z',
  updatedAt: '2026-11-20T15:36:00.123456Z',
} as Mirror;
