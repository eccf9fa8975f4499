import { STATUS_CODES } from 'node:http';
import type { Reply } from './replies.ts';

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
