import * as fc from 'fast-check';
import { brokenText, bytes, mostly, one } from './odd.ts';
import { places } from './start-line.ts';

/** Lines of a header section, without their ends. */
type Lines = fc.Arbitrary<readonly string[]>;

const unknownKey = 'cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const bearer = `Authorization: Bearer ${places.key}`;
const json = 'Content-Type: application/json';

const lines = (...all: readonly (readonly string[])[]): Lines => one(...all);
const brokenLine = (line: string): Lines => brokenText(line).map((text) => [text]);

const host = mostly(
  lines(['Host: a.example']),
  lines(
    [],
    ['Host:'],
    ['Host: a:8080'],
    ['Host: [::1]'],
    ['host:a'],
    ['Host: a', 'Host: a'],
    ['Host: a', 'Host: b'],
  ),
  lines(
    ['Host: a/b'],
    ['Host: a b'],
    ['Host: a@b'],
    ['Host: a,b'],
    ['Host : a'],
    ['Host\t: a'],
    [' Host: a'],
  ),
  brokenLine('Host: a.example'),
);

const authorization = mostly(
  lines([bearer]),
  lines([], ['Authorization:'], ['Authorization: Bearer'], [`Authorization: bearer   ${places.key}`]),
  lines([`Authorization: Bearer ${unknownKey}`], [`Authorization: Basic ${places.key}`], [`${bearer}x`]),
  lines(
    [bearer, bearer],
    [bearer, `Authorization: Bearer ${unknownKey}`],
    [`${bearer},`, 'authorization: x'],
  ),
  lines(
    [`Authorization: Bearer\t${places.key}`],
    [`Authorization: Bearer\r\n ${places.key}`],
    [` ${bearer}`],
  ),
  lines([`Proxy-${bearer}`], [`Cookie: Bearer ${places.key}`], [`Authorization_: Bearer ${places.key}`]),
  brokenLine(bearer),
);

const type = mostly(
  lines([json]),
  lines(
    [`${json}; charset=utf-8`],
    [`${json};charset="UTF-8"`],
    [`${json} ;; a=b`],
    ['content-type:application/JSON'],
  ),
  lines(
    [],
    ['Content-Type:'],
    ['Content-Type: text/plain'],
    [json, json],
    [`${json}, ${json}`],
    [`${json}x`],
  ),
  lines(
    [`${json}; charset=utf-16`],
    [`${json}; charset=utf-8; charset=utf-7`],
    [`${json}; =`],
    [`${json}; a="\\`],
  ),
  brokenLine(json),
);

const further = mostly(
  lines([]),
  lines(
    ['Expect: 100-continue'],
    ['Expect: 100-CONTINUE'],
    ['Expect: x'],
    ['Expect:'],
    ['Expect: 100-continue, x'],
  ),
  lines(['Connection: close'], ['Connection: keep-alive']),
  lines(
    ['Connection: Authorization, Content-Length'],
    ['Upgrade: websocket'],
    ['Connection: \xff'],
    ['TE: trailers'],
  ),
  lines(
    ['Content-Encoding: gzip'],
    ['Content-Encoding: identity'],
    ['Content-Encoding: , ,'],
    ['Trailer: Host'],
  ),
  lines(
    ['X-Request-Id: of-the-caller'],
    ['X-Request-Id:'],
    ['X-Request-Id: a b'],
    ['X-Request-Id: \xe4', 'X-Request-Id: b'],
  ),
  lines(
    ['X-Forwarded-For: 127.0.0.1, ::1'],
    ['Forwarded: for="[::1'],
    ['X-HTTP-Method-Override: GET'],
    ['Origin: http://a'],
  ),
  lines(
    ['X: a\r\n folded'],
    ['\t'],
    [' '],
    [':'],
    ['X'],
    ['X: \0'],
    ['__proto__: a'],
    ['constructor: a'],
    ['\xe4: a'],
  ),
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
