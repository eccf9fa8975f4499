import cors from '@koa/cors';
import type { Middleware } from './calls.ts';

/** The headers of every answer, whatever its status. */
export const standingHeaders: Readonly<Record<string, string>> = {
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

/** Lets the pages of these origins call (the Fetch standard's CORS protocol). */
function callsFrom(origins: readonly string[]): Middleware {
  return cors({
    origin: (context) => (origins.includes(context.get('Origin')) ? context.get('Origin') : ''),
    allowMethods: 'POST',
    // The headers of a trace are among them (W3C Trace Context and Baggage), which tracing in a browser adds by itself.
    allowHeaders: 'Authorization, Content-Type, X-Request-Id, traceparent, tracestate, baggage',
    exposeHeaders:
      'X-Request-Id, Retry-After, WWW-Authenticate, Allow, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset',
    // How long a browser keeps a preflight, in seconds: removing an origin can take as long to have effect.
    maxAge: 600,
  });
}
