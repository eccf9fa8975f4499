import { type IncomingMessage, STATUS_CODES } from 'node:http';
import cors from '@koa/cors';
import { parse as mediaType } from 'content-type';
import type { Middleware } from './calls.ts';
import type { Fault, Reply, RequestFault } from './replies.ts';

/** The scheme in any case, then one or more spaces and what follows them, if anything does (RFC 6750, section 2.1). */
const bearer = /^bearer(?: +|$)(.*)$/i;

/** The bearer token (contract: order of checks, 3). */
export function credentialIn(
  request: IncomingMessage,
  isWellFormed: (credential: string) => boolean,
): string | { fault: Fault } {
  const credentials = headerValues(request, 'authorization');
  if (credentials.length > 1) return { fault: 'repeated-authorization' };
  const credential = bearer.exec(credentials[0] ?? '')?.[1];
  if (credential === undefined) return { fault: 'no-key' };
  return isWellFormed(credential) ? credential : { fault: 'invalid-key' };
}

/**
 * Every value of a header; `name` is in lower case. From the raw headers, name and value in turn, because
 * `headers.authorization` hides a second one.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] ?? '';
    if (header.length === name.length && header.toLowerCase() === name)
      values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

/** The elements of a header, without empty ones (RFC 9110, section 5.6.1). */
export function listed(value = ''): string[] {
  const elements = value.split(',').map((element) => element.trim());
  return elements.filter((element) => element !== '');
}

/** Whether the body is JSON in UTF-8, without a content encoding (RFC 9110, section 8.3 and 8.4). */
export function isJson(request: IncomingMessage): boolean {
  const types = headerValues(request, 'content-type');
  const { type, parameters } = mediaType(types[0] ?? '');
  if (types.length !== 1 || type !== 'application/json') return false;
  // Many programs write `utf8`, which the Encoding standard reads as the same.
  if (!/^utf-?8$/i.test(parameters.charset ?? 'utf-8')) return false;
  return listed(request.headers['content-encoding']).every((coding) => /^identity$/i.test(coding));
}

/** One entity tag (RFC 9110, section 8.8.3). */
const entityTag = /^(?:W\/)?"[!#-~\x80-\xff]*"$/;
/** An entity tag of ours: as it was sent, or with what a proxy that compresses answers adds. */
const ownTag = /^(?:W\/)?"(0|[1-9][0-9]{0,15})(?:--?[A-Za-z]+)?"$/;
/** No change has this number. */
const noChange = -1;

/** The condition: the number that the mirror's last change must have, by default any; or why it is not understood. */
export function conditionIn({ headers }: IncomingMessage): { lastChange?: number; fault?: RequestFault } {
  // Node joins several lines with commas and spaces, which one tag cannot have.
  const { 'if-match': match = '*', 'if-none-match': noneMatch } = headers;
  if (match !== '*' && !entityTag.test(match)) return { fault: 'not-one-tag' };
  if (noneMatch !== undefined) return { fault: 'if-none-match' };
  if (match === '*') return {};
  const number = Number(ownTag.exec(match)?.[1]);
  return { lastChange: Number.isSafeInteger(number) ? number : noChange };
}

/** The headers of every answer, whatever its status. */
const standingHeaders: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store, no-transform',
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
