import type { IncomingMessage } from 'node:http';
import { parse as mediaType } from 'content-type';
import type { Fault, RequestFault } from './replies.ts';

/** The scheme in any case, then spaces and the token, which may be missing (RFC 6750, section 2.1). */
const bearer = /^bearer(?: +|$)(.*)$/i;

/** The bearer token, or why it is refused (contract: order of checks, 3). */
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

/** Every value of a header; `name` is in lower case. `headers.authorization` would hide a second one. */
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

/** Whether the headers announce JSON in UTF-8, without a content encoding (RFC 9110, section 8.3 and 8.4). */
export function isJson(request: IncomingMessage): boolean {
  const types = headerValues(request, 'content-type');
  const { type, parameters } = mediaType(types[0] ?? '');
  if (types.length !== 1 || type !== 'application/json') return false;
  // Many programs write `utf8`, which is the same in the Encoding standard.
  if (!/^utf-?8$/i.test(parameters.charset ?? 'utf-8')) return false;
  return listed(request.headers['content-encoding']).every((coding) => /^identity$/i.test(coding));
}

/** One entity tag (RFC 9110, section 8.8.3). */
const entityTag = /^(?:W\/)?"[!#-~\x80-\xff]*"$/;
/** An entity tag of the service, also with the suffix that a compressing proxy adds. */
const ownTag = /^(?:W\/)?"(0|[1-9][0-9]{0,15})(?:--?[A-Za-z]+)?"$/;

/** The condition: the number that the mirror's last change must have, by default any; or why the header is refused. */
export function conditionIn({ headers }: IncomingMessage): { lastChange?: number; fault?: RequestFault } {
  // Node joins several lines with commas and spaces, which one tag cannot contain.
  const { 'if-match': match = '*', 'if-none-match': noneMatch } = headers;
  if (match !== '*' && !entityTag.test(match)) return { fault: 'not-one-tag' };
  if (noneMatch !== undefined) return { fault: 'if-none-match' };
  if (match === '*') return {};
  const number = Number(ownTag.exec(match)?.[1]);
  // No change has the number -1.
  return { lastChange: Number.isSafeInteger(number) ? number : -1 };
}
