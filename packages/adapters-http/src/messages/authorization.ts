import type { IncomingMessage } from 'node:http';
import type { Fault } from '../answers/replies.ts';

/** The scheme in any case, then one or more spaces and what follows them, if anything does (RFC 6750, section 2.1). */
const bearer = /^bearer(?: +|$)(.*)$/i;

/**
 * The credential that the headers carry, or why there is none (contract: order of checks, 3): the bearer token, or the
 * whole value of `header`, which is in lower case.
 */
export function credentialInHeaders(
  request: IncomingMessage,
  isWellFormed: (credential: string) => boolean,
  header?: string,
): string | { fault: Fault } {
  const credentials = headerValues(request, header ?? 'authorization');
  if (credentials.length > 1) return { fault: 'repeated-authorization' };
  const [value] = credentials;
  const credential = header === undefined ? bearer.exec(value ?? '')?.[1] : value;
  if (credential === undefined) return { fault: 'no-key' };
  return isWellFormed(credential) ? credential : { fault: 'invalid-key' };
}

/**
 * Every value of a header; `name` is in lower case. From the raw headers, name and value in turn, because
 * `headers.authorization` hides a second one; what gives a gateway's event the form of a request has none.
 */
export function headerValues({ rawHeaders, headers }: IncomingMessage, name: string): string[] {
  if (rawHeaders.length === 0) return [headers[name] ?? []].flat();
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const named = rawHeaders[at] ?? '';
    if (named.length === name.length && named.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  }
  return values;
}

/** The elements of a header, in lower case; empty ones are none (RFC 9110, section 5.6.1). */
export function listed(value: string | undefined): string[] {
  if (value === undefined) return [];
  return value.split(',').flatMap((one) => one.trim().toLowerCase() || []);
}
