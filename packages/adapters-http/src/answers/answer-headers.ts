import type { IncomingMessage } from 'node:http';
import type { Reply } from './replies.ts';

/** What the headers of every answer depend on. */
export interface AnswerHeaderSettings {
  /** `Strict-Transport-Security` for so many seconds; 0 for none (RFC 6797). */
  readonly hstsSeconds?: number;
  /** The origins whose pages may call, such as `https://tools.example`; none for none. */
  readonly origins?: readonly string[];
}

/** What a page of another origin may read of an answer, besides what every page may. */
const exposed = [
  'X-Request-Id, Retry-After, WWW-Authenticate, Allow',
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy',
].join(', ');
/** What it may send, besides what every page may. */
const accepted = 'Authorization, Content-Type, X-Request-Id';
/** How long a browser caches a preflight, in seconds; removing an origin can take this long to have effect. */
const preflightAge = '600';

/**
 * The headers that an answer carries whatever it says: for browsers, and for the pages of other origins in them (the
 * Fetch standard's CORS protocol). Names and values in turn, as Node takes them.
 */
export class AnswerHeaders {
  readonly #always: readonly string[];
  readonly #toOthers: readonly string[];
  readonly #origins: ReadonlySet<string>;

  constructor({ hstsSeconds = 0, origins = [] }: AnswerHeaderSettings = {}) {
    const hsts = hstsSeconds > 0 ? ['Strict-Transport-Security', `max-age=${hstsSeconds}`] : [];
    this.#always = ['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer', ...hsts];
    this.#toOthers = [...this.#always, 'Vary', 'Origin'];
    this.#origins = new Set(origins);
  }

  /** `request`: undefined where there is none that could be read. */
  of(reply: Reply, request: IncomingMessage | undefined): string[] {
    if (this.#origins.size === 0) return this.#always.slice();
    const headers = this.#toOthers.slice();
    const origin = request?.headers.origin;
    if (request === undefined || origin === undefined || !this.#origins.has(origin)) return headers;
    headers.push('Access-Control-Allow-Origin', origin);
    if (isPreflight(request)) {
      headers.push('Access-Control-Allow-Methods', reply.headers?.Allow ?? '');
      headers.push('Access-Control-Allow-Headers', accepted, 'Access-Control-Max-Age', preflightAge);
    } else {
      headers.push('Access-Control-Expose-Headers', exposed);
    }
    return headers;
  }
}

function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
