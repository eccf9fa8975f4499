import * as fc from 'fast-check';
import { brokenText, bytes, mostly, places } from './odd.ts';

const route = (campaign: string) => `/public/v1/mirror/campaign/${campaign}/mirror`;
const own = route(places.own);
const campaigns = ['424242', '%31', '01', '-1', '9'.repeat(17), '', '..', '%2f', '%00', '%', '\xe4', '%ff'];

export const method = mostly(
  'POST',
  [
    ...['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'CONNECT', 'SOURCE', 'PRI', 'post', 'BREW'],
    ...['POSTX', '', 'POST POST', ' POST'],
  ],
  brokenText('POST'),
);

export const target = mostly(
  own,
  [
    ...[`${own}/`, `/${own}`, own.toUpperCase(), `${own}?a=/b?c`, `${own}#x`, `/./${own}`, '/', '*', ''],
    ...[`http://b.example${own}`, `HTTPS://b:80${own}`, `http://b@c${own}`, 'b.example:443', `ws://b${own}`],
  ],
  fc.constant(route(places.foreign)),
  fc.constantFrom(...campaigns.map(route)),
  fc.nat(400).map((length) => `/${'x'.repeat(length)}`),
  fc.nat(17_000).map((length) => `${own}?${'x'.repeat(length)}`),
  bytes(20).map((text) => `/${text}`),
  brokenText(own),
);

export const version = mostly(
  'HTTP/1.1',
  ['HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/1.', 'HTTP/11', 'http/1.1', 'HTTP/1.1 ', 'ICE/1.0', ''],
  fc.constant('HTTP/1.0'),
  brokenText('HTTP/1.1'),
);

/** As a rule the line; or one of the others, twice the same, none, or the line with a character too much. */
const line = (usual: string, others: readonly string[]) =>
  mostly(usual, others, fc.constantFrom('', `${usual}\r\n${usual}`), brokenText(usual));

const host = line('Host: a.example', [
  ...['Host:', 'Host: a:8080', 'Host: [::1]', 'host:a', 'Host: a/b', 'Host: a b', 'Host: a@b'],
  ...['Host: a,b', 'Host : a', ' Host: a', 'Host: a\r\nHost: b'],
]);

const bearer = `Authorization: Bearer ${places.key}`;
const unknown = 'Authorization: Bearer cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const authorization = line(bearer, [
  ...['Authorization:', 'Authorization: Bearer', `Authorization: bearer   ${places.key}`, ` ${bearer}`],
  ...[unknown, unknown, `Authorization: Basic ${places.key}`, `${bearer}x`, `${bearer}\r\n${unknown}`],
  ...[`Authorization: Bearer\t${places.key}`, `Authorization: Bearer\r\n ${places.key}`],
  ...[`Proxy-${bearer}`, `Cookie: Bearer ${places.key}`, `Authorization_: Bearer ${places.key}`],
]);

const json = 'Content-Type: application/json';
const type = line(json, [
  ...[`${json};charset="UTF-8"`, `${json} ;; a=b`, 'content-type:application/JSON', 'Content-Type:'],
  ...['Content-Type: text/plain', `${json}, ${json}`, `${json}x`, `${json}; charset=utf-16`, `${json}; =`],
  ...[`${json}; charset=utf-8; charset=utf-7`, `${json}; a="\\`],
]);

const further = mostly(
  '',
  [
    ...['Expect: 100-continue', 'Expect: 100-CONTINUE', 'Expect: x', 'Expect:', 'Expect: 100-continue, x'],
    ...['Connection: close', 'Connection: keep-alive', 'Connection: Authorization, Content-Length'],
    ...['Upgrade: websocket', 'Connection: \xff', 'TE: trailers', 'Content-Encoding: gzip', 'Trailer: Host'],
    ...['Content-Encoding: identity', 'Content-Encoding: , ,', 'X-Request-Id: of-the-caller'],
    ...['X-Request-Id:', 'X-Request-Id: a b', 'X-Request-Id: \xe4', 'X-Forwarded-For: 127.0.0.1, ::1'],
    ...['X-HTTP-Method-Override: GET', 'Origin: http://a', 'X: a\r\n folded', '\t', ':', 'X', 'X: \0'],
    ...['__proto__: a', 'constructor: a', '\xe4: a'],
  ],
  fc.nat(17_000).map((length) => `X: ${'x'.repeat(length)}`),
  fc.nat(2_000).map((count) => Array.from({ length: count }, () => 'X:').join('\r\n')),
  bytes(30),
);

/** All header lines but those that frame the body; empty ones are to be left out. */
export const headers = fc
  .tuple(host, authorization, type, further, mostly(false, [true]))
  .map(([to, by, of, more, turned]) => (turned ? [more, of, by, to] : [to, by, of, more]));
