import { STATUS_CODES } from 'node:http';
import cors from '@koa/cors';
import type { Middleware } from './calls.ts';
import type { Reply } from './replies.ts';

/** The headers of every answer, whatever its status. */
const standingHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Sets the headers of every answer, and those for pages of these origins. */
export function answerHeaders(origins: readonly string[]): Middleware[] {
  const set: Middleware = ({ res }, next) => {
    for (const name in standingHeaders) res.setHeader(name, standingHeaders[name] as string);
    return next();
  };
  return origins.length === 0 ? [set] : [set, callsFrom(origins)];
}

/**
 * The headers of an answer to input that never became a request, of which `heard` is what was read last. A browser shows
 * a page an answer only if it names the page's origin.
 */
export function headersOfRefusal(
  origins: readonly string[],
  heard: string,
): Readonly<Record<string, string>> {
  if (origins.length === 0) return standingHeaders;
  const headers = { ...standingHeaders, Vary: 'Origin' };
  const sent = /^origin:[\t ]*([^\t\r\n ]+)/im.exec(heard)?.[1];
  // The caller may have sent it earlier. If only one origin is allowed, no other can be meant.
  const allowed = origins.find((origin) => origin === sent || (!sent && origins.length === 1));
  if (allowed === undefined) return headers;
  return { ...headers, 'Access-Control-Allow-Origin': allowed, 'Access-Control-Expose-Headers': exposed };
}

const exposed =
  'ETag, X-Request-Id, Retry-After, WWW-Authenticate, Allow, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset';

/** At most 64 names of headers (RFC 9110, section 5.6.2), as a preflight lists them. */
const headerNames = /^(?:[\t ]*[\w!#$%&'*+.^`|~-]{1,64}[\t ]*(?:,|$)){1,64}$/;

/** Lets the pages of these origins call (the Fetch standard's CORS protocol), with the headers that they ask for. */
function callsFrom(origins: readonly string[]): Middleware {
  return cors({
    origin: (context) => {
      const asked = 'access-control-request-headers';
      // The library answers with what is asked for.
      if (!headerNames.test(context.get(asked))) delete context.req.headers[asked];
      return origins.includes(context.get('Origin')) ? context.get('Origin') : '';
    },
    allowMethods: 'POST',
    exposeHeaders: exposed,
    // How long a browser keeps a preflight, in seconds: removing an origin can take as long to have effect.
    maxAge: 600,
  });
}

/** An answer in wire format (RFC 9112, section 4), after which the connection closes. */
export function wireFormat(
  { status, body = '', headers: own }: Reply,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): string {
  const all = {
    ...headers,
    ...own,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
