import { RawConnection } from '../support/http/connection.ts';
import { pathOf } from '../support/http/request.ts';

/** The bytes of UTF-8 as characters of Latin-1. */
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

/** Texts that could control a terminal, break a line, or change the direction of text. */
export const steering: readonly string[] = [
  '\n{"level":60,"event":"forged"}\n',
  '\r{"event":"forged"}',
  '\u001b[2J\u001b]0;forged\u0007',
  '\u009b2J\u0085',
  utf8('\u009b2J\u0085'),
  utf8('\u2028{"event":"forged"}\u2029'),
  utf8('\u202edegrof\u2066\u200f'),
  '\u0000\u007f\b',
  '","event":"forged","x":"\\',
  '%0a%0d%1b%5b2J%e2%80%a8',
];

/** Requests that contain a text wherever a caller can put one. */
function requestsWith(text: string, key: string): string[] {
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
    text,
  ];
}

/** Sends bytes on a new connection, and resolves with the whole answer. */
export async function send(url: string, bytes: string): Promise<string> {
  const connection = await RawConnection.open(Number(new URL(url).port), bytes);
  connection.socket.end();
  return connection.closed();
}

export async function sendEverywhere(url: string, key: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) await Promise.all(requestsWith(text, key).map((bytes) => send(url, bytes)));
}
