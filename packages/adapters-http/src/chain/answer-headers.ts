import cors from '@koa/cors';
import type { Middleware } from './calls.ts';

/** The headers of every answer, whatever its status. */
const standingHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** Sets the headers of every answer, and those for pages of these origins. */
export function answerHeaders(origins: readonly string[]): Middleware[] {
  const standing = Object.entries(standingHeaders);
  const set: Middleware = (context, next) => {
    for (const [name, value] of standing) context.res.setHeader(name, value);
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

/** Lets the pages of these origins call (the Fetch standard's CORS protocol). */
function callsFrom(origins: readonly string[]): Middleware {
  return cors({
    origin: (context) => (origins.includes(context.get('Origin')) ? context.get('Origin') : ''),
    allowMethods: 'POST',
    // The headers of a trace are among them (W3C Trace Context and Baggage), which tracing in a browser adds by itself.
    allowHeaders: 'Authorization, Content-Type, X-Request-Id, traceparent, tracestate, baggage',
    exposeHeaders: exposed,
    // How long a browser keeps a preflight, in seconds: removing an origin can take as long to have effect.
    maxAge: 600,
  });
}
