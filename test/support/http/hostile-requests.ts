import { RawConnection } from './connection.ts';

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

/** A text whose characters are the bytes of its UTF-8. */
function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Requests that carry a text wherever a caller can put one; the last one of each connection asks for its end. */
export function requestsWith(text: string, key: string): string[] {
  const route = '/public/v1/mirror/campaign/1/mirror';
  const json = 'Content-Type: application/json\r\n';
  const request = (line: string, headers = '', body = '') =>
    `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
  const authorized = (headers: string, body: string, path = route) =>
    request(`POST ${path}`, `Authorization: Bearer ${key}\r\n${json}${headers}`, body);
  return [
    request(`POST /${text}`),
    request(`POST ${route}?${text}`),
    authorized('', '{}', `/public/v1/mirror/campaign/${text}/mirror`),
    request(`${text} ${route}`),
    request('POST http://[/', `X: ${text}\r\n`),
    request(`POST ${route}`, `Authorization: Bearer ${text}\r\n`),
    request(`POST ${route}`, `Authorization: ${text}\r\n`),
    request(`POST ${route}`, `Authorization: Bearer ${key}\r\nAuthorization: ${text}\r\n`),
    request(`POST ${route}`, `X-Request-Id: ${text}\u0001\r\n`),
    request(`POST ${route}`, `X-Forwarded-For: ${text}\r\nForwarded: for=${text}\r\nCookie: ${text}\r\n`),
    request(`POST ${route}`, `${text}: ${text}\r\n`),
    request(`POST ${route}`, `Expect: ${text}\r\n`),
    request(`CONNECT ${text}:80`),
    request(`GET ${route}`, `Transfer-Encoding: ${text}\r\n`),
    request(`POST ${route}`, `${json}Authorization: Bearer ${key}\r\nX: ${'x'.repeat(20_000)}${text}\r\n`),
    authorized('', `{"mirror_endpoint":"https://${text}:${text}@a.example/${text}"}`),
    authorized('', `{"mirror_endpoint": ${text}`),
    authorized('', text),
    authorized(`Content-Encoding: ${text}\r\n`, '{}'),
    text,
  ];
}

/** Sends bytes on a connection of their own; resolves with all that came back. */
export async function send(port: number, bytes: string): Promise<string> {
  const connection = await RawConnection.open(port);
  await connection.send(bytes);
  connection.socket.end();
  return connection.closed();
}
