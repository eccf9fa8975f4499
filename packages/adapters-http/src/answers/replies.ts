import type { AddressFault, Mirror, Outcome, Refusal } from '@campaign-mirror/domain';

/** An HTTP answer. */
export interface Reply {
  readonly status: number;
  /** Undefined if the answer has no body. */
  readonly body?: string | Buffer;
  /** JSON by default. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The reason, for the log and the metrics, never for the caller. */
  readonly because?: string;
  /** The connection closes after the answer. */
  readonly closes?: true;
}

/** A reason for a status other than 200. */
export interface Refused {
  readonly status: number;
  readonly because: string;
}

/** Answers to requests without an outcome of the use case. */
export type Fault = keyof ReturnType<typeof faultReplies>;

/** The limit of a key, or that of an address that sends refused keys. */
const overLimits = ['rate', 'failed-keys'] as const;
type OverLimit = (typeof overLimits)[number];

const message = (text: string) => JSON.stringify({ message: text });
const tooManyAttempts = message('Too Many Attempts.');
const challenge = 'Bearer realm="campaign-mirror"';

/** A status with a message. */
const said = (status: number, text: string, more: Partial<Reply> = {}): Reply => ({
  status,
  body: message(text),
  ...more,
});

const unprocessable = (text: string): Reply => ({
  status: 422,
  body: JSON.stringify({ message: text, errors: { mirror_endpoint: [text] } }),
});

/** The name of each answer is its reason. */
function named<Kind extends string>(replies: Readonly<Record<Kind, Reply>>): Readonly<Record<Kind, Reply>> {
  const all = Object.entries<Reply>(replies).map(([because, reply]) => [because, { ...reply, because }]);
  return Object.fromEntries(all);
}

/** `retryAfter`: the `Retry-After` of a 503, in seconds. */
function faultReplies(retryAfter: number) {
  const authenticate = (how: string) => ({ headers: { 'WWW-Authenticate': how } });
  const type = 'application/json in UTF-8, without a content encoding';
  return named({
    'bad-request': said(400, 'Bad Request', { closes: true }),
    'request-timeout': said(408, 'Request Timeout', { closes: true }),
    'header-fields-too-large': said(431, 'Request Header Fields Too Large', { closes: true }),
    'expectation-failed': said(417, 'Expectation Failed', { closes: true }),
    'repeated-authorization': said(400, 'More than one Authorization header.'),
    'no-key': said(401, 'Unauthenticated.', authenticate(challenge)),
    'invalid-key': said(401, 'Unauthenticated.', authenticate(`${challenge}, error="invalid_token"`)),
    'unsupported-body': said(415, `The request body must be ${type}.`),
    'body-too-large': said(413, 'The request body is too large.'),
    unavailable: said(503, 'Service Unavailable', { headers: { 'Retry-After': String(retryAfter) } }),
    unexpected: said(500, 'Server Error'),
  });
}

/** What an answer needs to know about its request. */
export interface Asked {
  /** The identifier as given in the path. */
  readonly campaign: string;
  /** Why the body has no target URL. */
  readonly fault?: BodyFault | undefined;
  /** Seconds until the window of a limit ends. */
  readonly secondsLeft?: number | undefined;
}

/** All of the service's answers (contract: answers). No other place chooses a status. */
export class Replies {
  readonly #faults: Readonly<Record<Fault, Reply>>;

  /** `retryAfter`: the `Retry-After` of a 503, in seconds. */
  constructor({ retryAfter = 1 } = {}) {
    this.#faults = faultReplies(retryAfter);
  }

  /** The answer to a request without an outcome. */
  fault(kind: Fault): Reply {
    return this.#faults[kind];
  }

  /** All reasons, each with its status. */
  get refusals(): readonly Refused[] {
    const tables = [this.#faults, refused, unreadable, invalidAddress];
    const others = [this.#unknownKey, campaignNotFound(''), routeNotFound(''), methodNotSupported('', '')];
    const limited = overLimits.map((because) => this.tooManyAttempts(because, 1));
    return [...tables.flatMap((table): Reply[] => Object.values(table)), ...others, ...limited].flatMap(
      ({ status, because }) => (because === undefined ? [] : [{ status, because }]),
    );
  }

  get #unknownKey(): Reply {
    return { ...this.#faults['invalid-key'], because: 'unknown-key' };
  }

  /** `seconds`: how long until the limit admits another request. */
  tooManyAttempts(because: OverLimit, seconds: number): Reply {
    return {
      status: 429,
      body: tooManyAttempts,
      headers: { 'Retry-After': String(Math.max(seconds, 1)) },
      because,
    };
  }

  /** The answer to an outcome of the use case. */
  outcome(outcome: Outcome, { campaign, fault = 'required', secondsLeft = 1 }: Asked): Reply {
    switch (outcome.kind) {
      case 'mirror-set':
        return { status: 200, body: mirrorBody(outcome.mirror) };
      case 'unauthenticated':
        return this.#unknownKey;
      case 'over-limit':
        return this.tooManyAttempts('rate', secondsLeft);
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
}

const forbidden = said(403, 'This action is unauthorized.');

/** All rules have the same answer. A new rule does not compile until it is listed here. */
const refused: Readonly<Record<Refusal, Reply>> = named({
  'mirror-not-created': forbidden,
  'default-campaign': forbidden,
  'not-the-owner': forbidden,
});

const unreadable: Readonly<Record<BodyFault, Reply>> = named({
  'not-json': said(400, 'The request body is not valid JSON.'),
  required: unprocessable('The mirror endpoint field is required.'),
  'not-a-string': unprocessable('The mirror endpoint field must be a string.'),
});

const invalidAddress: Readonly<Record<AddressFault, Reply>> = named({
  'too-long': unprocessable('The mirror endpoint field must not be greater than 2048 characters.'),
  'not-a-url': unprocessable('The mirror endpoint field must be a valid URL.'),
  'denied-host': unprocessable('The mirror endpoint field must not point to this host.'),
});

/** The mirror in JSON: these keys, in this order (contract: the mirror). */
export function mirrorBody(mirror: Mirror): string {
  return JSON.stringify({
    mirror: {
      id: mirror.id,
      campaign_id: mirror.campaignId,
      target_url: mirror.targetUrl,
      clicks: mirror.clicks,
      updated_externally: mirror.updatedExternally,
      updated_externally_at: mirror.updatedExternallyAt,
      created_at: mirror.createdAt,
      updated_at: mirror.updatedAt,
    },
  });
}

function campaignNotFound(campaign: string): Reply {
  const text = `No query results for model [Campaign] ${cut(decodedOnce(campaign), 64)}`;
  return said(404, text, { because: 'campaign-not-found' });
}

export function routeNotFound(path: string): Reply {
  return said(404, `The route ${cut(path, 256)} could not be found.`, { because: 'route-not-found' });
}

/** `supported` are the methods of the route, for the `Allow` header (RFC 9110, section 15.5.6). */
export function methodNotSupported(method: string, supported: string): Reply {
  const text = `The ${method} method is not supported for this route. Supported methods: ${supported}.`;
  return said(405, text, { headers: { Allow: supported }, because: 'method-not-supported' });
}

export function options(supported: string): Reply {
  return { status: 204, headers: { Allow: supported } };
}

function decodedOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The first `characters` code points, so that no surrogate pair is split. */
function cut(text: string, characters: number): string {
  return text.length <= characters ? text : [...text].slice(0, characters).join('');
}

/** Why a body holds no address that could be judged, in the order in which it is found. */
export type BodyFault = 'not-json' | 'required' | 'not-a-string';
