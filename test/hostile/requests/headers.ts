import * as fc from 'fast-check';
import { brokenText, bytes, mostly, one } from './odd.ts';
import { places } from './start-line.ts';

/** Lines of a header section, without their ends. */
type Lines = fc.Arbitrary<readonly string[]>;

const unknownKey = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const bearer = `Authorization: Bearer ${places.key}`;
const json = 'Content-Type: application/json';

const lines = (...all: readonly (readonly string[])[]): Lines => one(...all);
/** One of these, alone. */
const line = (...all: readonly string[]): Lines => one(...all).map((text) => [text]);
const brokenLine = (text: string): Lines => brokenText(text).map((other) => [other]);

const host = mostly(
  line('Host: a.example'),
  lines([], ['Host: a', 'Host: a'], ['Host: a', 'Host: b']),
  line('Host:', 'Host: a:8080', 'Host: [::1]', 'host:a'),
  line('Host: a/b', 'Host: a b', 'Host: a@b', 'Host: a,b', 'Host : a', ' Host: a'),
  brokenLine('Host: a.example'),
);

const authorization = mostly(
  line(bearer),
  lines([], [bearer, bearer], [bearer, `Authorization: Bearer ${unknownKey}`]),
  line('Authorization:', 'Authorization: Bearer', `Authorization: bearer   ${places.key}`, ` ${bearer}`),
  line(`Authorization: Bearer ${unknownKey}`, `Authorization: Basic ${places.key}`, `${bearer}x`),
  line(`Authorization: Bearer\t${places.key}`, `Authorization: Bearer\r\n ${places.key}`),
  line(`Proxy-${bearer}`, `Cookie: Bearer ${places.key}`, `Authorization_: Bearer ${places.key}`),
  brokenLine(bearer),
);

const type = mostly(
  line(json),
  lines([], [json, json]),
  line(`${json};charset="UTF-8"`, `${json} ;; a=b`, 'content-type:application/JSON'),
  line('Content-Type:', 'Content-Type: text/plain', `${json}, ${json}`, `${json}x`),
  line(`${json}; charset=utf-16`, `${json}; charset=utf-8; charset=utf-7`, `${json}; =`, `${json}; a="\\`),
  brokenLine(json),
);

const further = mostly(
  lines([]),
  line('Expect: 100-continue', 'Expect: 100-CONTINUE', 'Expect: x', 'Expect:', 'Expect: 100-continue, x'),
  line('Connection: close', 'Connection: keep-alive'),
  line('Connection: Authorization, Content-Length', 'Upgrade: websocket', 'Connection: \xff', 'TE: trailers'),
  line('Content-Encoding: gzip', 'Content-Encoding: identity', 'Content-Encoding: , ,', 'Trailer: Host'),
  line('X-Request-Id: of-the-caller', 'X-Request-Id:', 'X-Request-Id: a b', 'X-Request-Id: \xe4'),
  line('X-Forwarded-For: 127.0.0.1, ::1', 'X-HTTP-Method-Override: GET', 'Origin: http://a'),
  line('X: a\r\n folded', '\t', ':', 'X', 'X: \0', '__proto__: a', 'constructor: a', '\xe4: a'),
  fc.nat(17_000).map((length) => [`X: ${'x'.repeat(length)}`]),
  fc.nat(2_000).map((count) => Array.from({ length: count }, () => 'X:')),
  bytes(30).map((text) => [text]),
);

/** All but those that frame the body. */
export const headers: Lines = fc
  .tuple(host, authorization, type, further, mostly(one(false), one(true)))
  .map(([to, by, of, more, turned]) => {
    const all = [to, by, of, more].flat();
    return turned ? all.reverse() : all;
  });
