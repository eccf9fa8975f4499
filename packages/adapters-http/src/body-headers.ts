import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { headerValues } from './authorization.ts';
import type { Fault } from './replies.ts';

/** Whether the headers announce a body. One that is chunked may still turn out to be empty. */
export function announcesBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 0;
}

/** Whether the caller waits to be told before it sends its body (RFC 9110, section 10.1.1). */
export function expectsContinue(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersionMinor === 1;
}

/** What is wrong with an announced body, as far as the headers show it (decisions: order of checks, 4). */
export function bodyHeaderFault(request: IncomingMessage, limit: number): Fault | undefined {
  if (!isJson(request.rawHeaders) || isEncoded(request.rawHeaders)) return 'unsupported-body';
  if (Number(request.headers['content-length'] ?? 0) > limit) return 'body-too-large';
  return undefined;
}

function isJson(rawHeaders: readonly string[]): boolean {
  const values = headerValues(rawHeaders, 'content-type');
  if (values.length !== 1) return false;
  try {
    const type = new MIMEType(values[0] ?? '');
    const charset = type.params.get('charset') ?? 'utf-8';
    return type.essence === 'application/json' && charset.toLowerCase() === 'utf-8';
  } catch {
    return false;
  }
}

function isEncoded(rawHeaders: readonly string[]): boolean {
  const codings = headerValues(rawHeaders, 'content-encoding').flatMap((value) => value.split(','));
  return codings.some((coding) => !['', 'identity'].includes(coding.trim().toLowerCase()));
}
