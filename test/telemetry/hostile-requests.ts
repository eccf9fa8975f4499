import { RawConnection } from '../support/http/connection.ts';
import { pathOf } from '../support/http/request.ts';

/** A text whose characters are the bytes of its UTF-8. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

/** What steers a terminal, breaks a line for some reader, or turns the direction of its text; as bytes of UTF-8 and of Latin-1. */
export const steering: Readonly<Record<string, string>> = {
  'a line break': '\n{"level":60,"event":"forged"}\n',
  'a carriage return': '\r{"event":"forged"}',
  'an escape sequence': '\u001b[2J\u001b]0;forged\u0007',
  'a C1 control': '\u009b2J\u0085',
  'an encoded C1 control': utf8('\u009b2J\u0085'),
  'separators of lines and paragraphs': utf8('\u2028{"event":"forged"}\u2029'),
  'bidirectional controls': utf8('\u202edegrof\u2066\u200f'),
  'a null and a delete': '\u0000\u007f\b',
  'what looks like JSON': '","event":"forged","x":"\\',
  'percent-encoded controls': '%0a%0d%1b%5b2J%e2%80%a8',
};

/** Requests that carry a text wherever a caller can put one; the last one of each connection asks for its end. */
export function requestsWith(text: string, key: string): string[] {
  const path = pathOf(1);
  const request = (line: string, header = '', body = '') =>
    `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${header}\r\n\r\n${body}`;
  const authorized = `Content-Type: application/json\r\nAuthorization: Bearer ${key}`;
  const lines = [`POST /${text}`, `POST ${path}?${text}`, `${text} ${path}`, `CONNECT ${text}:80`];
  const headers = [
    ...[`Authorization: Bearer ${text}`, `Authorization: ${text}`, `X-Request-Id: ${text}\u0001`],
    ...[`${authorized}\r\nAuthorization: ${text}`, `${authorized}\r\nX: ${'x'.repeat(20_000)}${text}`],
    ...[`X-Forwarded-For: ${text}\r\nForwarded: for=${text}\r\nCookie: ${text}`, `${text}: ${text}`],
    ...[`Expect: ${text}`, `Transfer-Encoding: ${text}`],
  ];
  const address = `https://${text}:${text}@a.example/${text}`;
  const bodies = [`{"mirror_endpoint":"${address}"}`, `{"mirror_endpoint": ${text}`, text];
  return [
    ...lines.map((line) => request(line)),
    ...headers.map((header) => request(`POST ${path}`, header)),
    ...bodies.map((body) => request(`POST ${path}`, authorized, body)),
    request(`POST ${pathOf(text)}`, authorized, '{}'),
    request(`POST ${path}`, `${authorized}\r\nContent-Encoding: ${text}`, '{}'),
    request('POST http://[/', `X: ${text}`),
    text,
  ];
}

/** Sends bytes on a connection of their own; resolves with all that came back. */
export async function send(port: number, bytes: string): Promise<string> {
  const connection = await RawConnection.open(port, bytes);
  connection.socket.end();
  return connection.closed();
}
