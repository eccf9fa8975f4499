import cors from '@koa/cors';
import type { Middleware } from './context.ts';

/** What the headers of every answer depend on. */
export interface AnswerHeaderSettings {
  /** The origins whose pages may call, such as `https://tools.example`; none for none. */
  readonly origins?: readonly string[] | undefined;
}

/** The headers of every answer, whatever it says. */
export const standingHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

export function answerHeaders({ origins = [] }: AnswerHeaderSettings): Middleware[] {
  const standing = Object.entries(standingHeaders);
  const set: Middleware = (context, next) => {
    for (const [name, value] of standing) context.res.setHeader(name, value);
    return next();
  };
  return origins.length === 0 ? [set] : [set, callsFrom(new Set(origins))];
}

/** Lets the pages of these origins call (the Fetch standard's CORS protocol). */
function callsFrom(origins: ReadonlySet<string>): Middleware {
  return cors({
    origin: (context) => (origins.has(context.get('Origin')) ? context.get('Origin') : ''),
    allowMethods: 'POST',
    allowHeaders: 'Authorization, Content-Type, X-Request-Id',
    exposeHeaders: [
      'X-Request-Id, Retry-After, WWW-Authenticate, Allow',
      'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy',
    ],
    // How long a browser keeps a preflight, in seconds: removing an origin can take as long to have effect.
    maxAge: 600,
  });
}
