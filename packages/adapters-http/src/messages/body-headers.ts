import type { IncomingMessage } from 'node:http';
import type { Fault } from '../answers/replies.ts';
import { headerValues } from './authorization.ts';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const charset = 'charset=(?:utf-8|"utf-8")';
const otherParameter = `(?!charset=)${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")`;
/** The media type, and parameters in which every charset is utf-8 (RFC 9110, sections 5.6.6 and 8.3.1). */
const json = new RegExp(
  `^application/json(?:[ \\t]*(?:;[ \\t]*(?:${charset}|${otherParameter})|;))*[ \\t]*$`,
  'i',
);

/** Whether the headers announce a body. A chunked body can still be empty. */
export function announcesBody(request: IncomingMessage): boolean {
  if (request.headers['transfer-encoding'] !== undefined) return true;
  return Number(request.headers['content-length'] ?? 0) > 0;
}

/**
 * Whether the caller waits for 100 Continue before it sends its body. HTTP/1.0 has no such mechanism (RFC 9110,
 * 10.1.1).
 */
export function expectsContinue(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersionMinor === 1;
}

/** What is wrong with an announced body, as far as the headers show it (contract: order of checks, 4). */
export function bodyHeaderFault(request: IncomingMessage, limit: number): Fault | undefined {
  if (!isJson(request.rawHeaders) || isEncoded(request.rawHeaders)) return 'unsupported-body';
  if (Number(request.headers['content-length'] ?? 0) > limit) return 'body-too-large';
  return undefined;
}

function isJson(rawHeaders: readonly string[]): boolean {
  const values = headerValues(rawHeaders, 'content-type');
  return values.length === 1 && json.test(values[0] ?? '');
}

function isEncoded(rawHeaders: readonly string[]): boolean {
  const codings = headerValues(rawHeaders, 'content-encoding').flatMap((value) => value.split(','));
  return codings.some((coding) => !['', 'identity'].includes(coding.trim().toLowerCase()));
}
