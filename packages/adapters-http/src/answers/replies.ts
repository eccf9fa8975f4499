import type { AddressFault, Mirror, Outcome, Refusal } from '@campaign-mirror/domain';
import type { InferOutput } from 'valibot';
import type { shownMirror } from './answer-schemas.ts';
import type { BodyFault } from './body-fault.ts';

/** An HTTP answer. */
export interface Reply {
  readonly status: number;
  /** Undefined if the answer has no body. */
  readonly body?: string | Buffer;
  /** JSON by default. */
  readonly contentType?: string;
  /** `Cache-Control`; `no-store` by default. */
  readonly cacheControl?: string;
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
export type Fault =
  | 'bad-request'
  | 'request-timeout'
  | 'header-fields-too-large'
  | 'expectation-failed'
  | 'repeated-authorization'
  | 'no-key'
  | 'invalid-key'
  | 'unsupported-body'
  | 'body-too-large'
  | 'unavailable'
  | 'unexpected';

/** The limit of a key, or that of an address that sends refused keys. */
const overLimits = ['rate', 'failed-keys'] as const;
export type OverLimit = (typeof overLimits)[number];

const message = (text: string) => JSON.stringify({ message: text });
const invalid = (text: string) => JSON.stringify({ message: text, errors: { mirror_endpoint: [text] } });
const tooManyAttempts = message('Too Many Attempts.');
const challenge = 'Bearer realm="campaign-mirror"';

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
    this.#faults = {
      'bad-request': { status: 400, body: message('Bad Request'), because: 'bad-request', closes: true },
      'request-timeout': {
        status: 408,
        body: message('Request Timeout'),
        because: 'request-timeout',
        closes: true,
      },
      'header-fields-too-large': {
        status: 431,
        body: message('Request Header Fields Too Large'),
        because: 'header-fields-too-large',
        closes: true,
      },
      'expectation-failed': {
        status: 417,
        body: message('Expectation Failed'),
        because: 'expectation-failed',
        closes: true,
      },
      'repeated-authorization': {
        status: 400,
        body: message('More than one Authorization header.'),
        because: 'repeated-authorization',
      },
      'no-key': {
        status: 401,
        body: message('Unauthenticated.'),
        headers: { 'WWW-Authenticate': challenge },
        because: 'no-key',
      },
      'invalid-key': {
        status: 401,
        body: message('Unauthenticated.'),
        headers: { 'WWW-Authenticate': `${challenge}, error="invalid_token"` },
        because: 'invalid-key',
      },
      'unsupported-body': {
        status: 415,
        body: message('The request body must be application/json in UTF-8, without a content encoding.'),
        because: 'unsupported-body',
      },
      'body-too-large': {
        status: 413,
        body: message('The request body is too large.'),
        because: 'body-too-large',
      },
      unavailable: {
        status: 503,
        body: message('Service Unavailable'),
        headers: { 'Retry-After': String(retryAfter) },
        because: 'unavailable',
      },
      unexpected: { status: 500, body: message('Server Error'), because: 'unexpected' },
    };
  }

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

const forbidden = (because: Refusal): Reply => ({
  status: 403,
  body: message('This action is unauthorized.'),
  because,
});

/** All rules have the same answer. A new rule does not compile until it is listed here. */
const refused: Readonly<Record<Refusal, Reply>> = {
  'mirror-not-created': forbidden('mirror-not-created'),
  'default-campaign': forbidden('default-campaign'),
  'not-the-owner': forbidden('not-the-owner'),
};

const unprocessable = (because: string, text: string): Reply => ({
  status: 422,
  body: invalid(text),
  because,
});

const unreadable: Readonly<Record<BodyFault, Reply>> = {
  'not-json': { status: 400, body: message('The request body is not valid JSON.'), because: 'not-json' },
  required: unprocessable('required', 'The mirror endpoint field is required.'),
  'not-a-string': unprocessable('not-a-string', 'The mirror endpoint field must be a string.'),
};

const invalidAddress: Readonly<Record<AddressFault, Reply>> = {
  'too-long': unprocessable(
    'too-long',
    'The mirror endpoint field must not be greater than 2048 characters.',
  ),
  'not-a-url': unprocessable('not-a-url', 'The mirror endpoint field must be a valid URL.'),
  'denied-host': unprocessable('denied-host', 'The mirror endpoint field must not point to this host.'),
};

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
    } satisfies Record<keyof InferOutput<typeof shownMirror>, unknown>,
  });
}

function campaignNotFound(campaign: string): Reply {
  const text = `No query results for model [Campaign] ${cut(decodedOnce(campaign), 64)}`;
  return { status: 404, body: message(text), because: 'campaign-not-found' };
}

export function routeNotFound(path: string): Reply {
  const text = `The route ${cut(path, 256)} could not be found.`;
  return { status: 404, body: message(text), because: 'route-not-found' };
}

/** `supported` are the methods of the route, for the `Allow` header (RFC 9110, section 15.5.6). */
export function methodNotSupported(method: string, supported: string): Reply {
  const text = `The ${method} method is not supported for this route. Supported methods: ${supported}.`;
  return { status: 405, body: message(text), headers: { Allow: supported }, because: 'method-not-supported' };
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
