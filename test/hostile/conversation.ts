import * as fc from 'fast-check';
import { broken, brokenText, bytes, framing, mostly, piecesAt, place, places } from './framings.ts';

const route = (campaign: string) => `/public/v1/mirror/campaign/${campaign}/mirror`;
const own = route(places.own);
const campaigns = ['424242', '%31', '01', '9'.repeat(17), '..', '%2f', '%', '\xe4', '%ff'];

const method = mostly(
  'POST',
  ['GET', 'OPTIONS', 'CONNECT', 'SOURCE', 'PRI', 'post', 'BREW', '', 'POST POST'],
  brokenText('POST'),
);

const target = mostly(
  own,
  [
    ...[`${own}/`, `/${own}`, own.toUpperCase(), `${own}?a=/b?c`, `${own}#x`, '/', '*', ''],
    ...[`HTTPS://b:80${own}`, `http://b@c${own}`, 'b.example:443'],
  ],
  fc.constant(route(places.foreign)),
  fc.constantFrom(...campaigns.map(route)),
  fc.nat(400).map((length) => `/${'x'.repeat(length)}`),
  fc.nat(17_000).map((length) => `${own}?${'x'.repeat(length)}`),
  bytes(20).map((text) => `/${text}`),
  brokenText(own),
);

const version = mostly('HTTP/1.1', ['HTTP/0.9', 'HTTP/1.2', 'http/1.1', ''], fc.constant('HTTP/1.0'));

/** As a rule the line; or one of the others, twice the same, none, or the line with a character too much. */
const line = (usual: string, others: readonly string[]) =>
  mostly(usual, others, fc.constantFrom('', `${usual}\r\n${usual}`), brokenText(usual));

const host = line('Host: a.example', [
  ...['Host:', 'host:[::1]:8080', 'Host: a/b', 'Host: a@b', 'Host : a', 'Host: a\r\nHost: b'],
]);

const bearer = `Authorization: Bearer ${places.key}`;
const unknown = 'Authorization: Bearer cm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg3pdwZj';
const authorization = line(bearer, [
  ...['Authorization:', `Authorization: bearer   ${places.key}`, `Authorization: Basic ${places.key}`],
  ...[unknown, `${bearer}x`, `${bearer}\r\n${unknown}`, `Authorization: Bearer\r\n ${places.key}`],
  ...[`Proxy-${bearer}`, `Authorization_: Bearer ${places.key}`],
]);

const ofJson = 'Content-Type: application/json';
const type = line(ofJson, [
  ...[`${ofJson};charset="UTF-8"`, 'content-type:application/JSON', `${ofJson}, ${ofJson}`, `${ofJson}x`],
  ...['Content-Type:', `${ofJson}; charset=utf-8; charset=utf-7`, `${ofJson}; a="\\`],
]);

const further = mostly(
  '',
  [
    ...['Expect: 100-CONTINUE', 'Expect: 100-continue, x', 'Connection: close', 'Upgrade: websocket'],
    ...['Connection: Authorization, Content-Length', 'TE: trailers', 'Trailer: Host'],
    ...['X-Request-Id: of-the-caller', 'X-Request-Id: \xe4', 'X-Forwarded-For: 127.0.0.1, ::1'],
    'Content-Encoding: gzip',
    ...['X-HTTP-Method-Override: GET', 'X', '\t', 'X: a\r\n folded', '__proto__: a', '\xe4: a'],
  ],
  fc.nat(17_000).map((length) => `X: ${'x'.repeat(length)}`),
  fc.nat(2_000).map((count) => Array.from({ length: count }, () => 'X:').join('\r\n')),
  bytes(30),
);

/** All header lines but those that frame the body; empty ones are to be left out. */
const headers = fc
  .tuple(host, authorization, type, further, mostly(false, [true]))
  .map(([to, by, of, more, turned]) => (turned ? [more, of, by, to] : [to, by, of, more]));

/** So large may a body be, in bytes. */
const limit = 16_384;

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const { stringify } = JSON;

/** `<NUMBER>` stands for a number, by which each address is another one. */
const start = 'https://one.example/<NUMBER>';
const address = mostly(
  `${start}?c={click_id}`,
  [
    ...['\u00e4\u{1f600}', '%00', '\\', '"', "';--", ' ', '\u0000', '\u2028', '\ud800'].map(
      (tail) => `${start}?${tail}`,
    ),
    ...['HTTPS://ONE.example', 'http://ex\u00e4mple.com', 'http://[::1]', 'http://0x7f.1'].map(
      (origin) => `${origin}/<NUMBER>/../x`,
    ),
    ...['', 'ftp://a', '//a', 'https://a@b', 'https://a:99999'].map((origin) => `${origin}/<NUMBER>`),
  ],
  fc.nat(2_100).map((length) => `${start}/${'x'.repeat(length)}`),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${start}/${text}`),
);

/** JSON that says an address, or hides it: `<PAIR>` stands for the key and the address. */
const json = mostly(
  '{<PAIR>}',
  [
    ...['\ufeff{<PAIR>}', ' \r\n\t{ <PAIR> } ', '{"__proto__":{"x":1},<PAIR>}', '[{<PAIR>}]', 'null', ''],
    ...['{"mirror_endpoint":1,<PAIR>}', '{<PAIR>,"mirror_endpoint":null}', '{"mirror_endpoint":[1]}'],
    ...['{"__proto__":{<PAIR>}}', '{<PAIR>}{<PAIR>}', '{<PAIR>'],
  ],
  fc.nat(5_000).map((depth) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)},<PAIR>}`),
);

const length = mostly(0, [limit - 1, limit, limit + 1, 2 * limit]);
const said = fc.tuple(fc.nat(2 ** 31 - 1), address, json, length).map(([number, form, text, least]) => {
  const told = form.replace('<NUMBER>', String(number));
  return text.replaceAll('<PAIR>', () => `"mirror_endpoint":${stringify(told)}`).padEnd(least);
});

/** What a request says, as bytes: one a character. */
const body = mostly(
  said.map(utf8),
  [],
  fc.tuple(said, broken).map(([text, change]) => change(utf8(text))),
  said.map((text) => Buffer.from(text, 'utf16le').toString('latin1')),
  said,
  bytes(60),
);

/** What goes over one connection. */
export interface Conversation {
  /** Requests, as bytes: one a character. */
  readonly messages: readonly string[];
  /** Where it is cut into pieces, from 0 to 1. */
  readonly cuts: readonly number[];
  /** After so many pieces the caller is gone, as one that was killed; undefined if it reads all answers. */
  readonly vanishesAfter?: number | undefined;
}

const whole = fc
  .tuple(method, target, version, headers, body, framing, fc.boolean())
  .map(([verb, to, protocol, others, said, frame, framingFirst]) => {
    const { lines, sent } = frame(said);
    const all = (framingFirst ? [lines, ...others] : [...others, lines]).filter(Boolean);
    return [`${verb} ${to} ${protocol}`, ...all, '', sent].join('\r\n');
  });

/** What parsers stumble over. */
const tokens = [
  ...['', '\r\n', '\n', '\r', '\r\n\r\n', '\t', ':', ';', '\0', '\x7f', '\xff', '%00', '"', '#', '?', '{'],
  ...['0\r\n\r\n', '-1', '99999999999999999999', 'ffffffffffffffff', 'HTTP/1.0', '\\ud800', ' folded\r\n'],
  ...['Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'Connection: close\r\n', 'Host: b\r\n'],
  ...['GET / HTTP/1.1\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
];
const inserted = fc.oneof(
  fc.constantFrom(...tokens),
  bytes(3),
  fc.tuple(fc.constantFrom('a', '\r\n', 'a:b\r\n'), fc.nat(20_000)).map(([of, size]) => ''.padEnd(size, of)),
);
/** Puts something somewhere into a message, in place of what is there, of its whole rest, or of nothing. */
const spliced = fc
  .tuple(place, fc.oneof(fc.nat(4), fc.nat(40), fc.constant(Number.POSITIVE_INFINITY)), inserted)
  .map(([where, removed, text]) => (message: string) => {
    const from = Math.floor(where * message.length);
    return message.slice(0, from) + text + message.slice(from + removed);
  });
const message = fc
  .tuple(
    whole,
    mostly((text: string) => text, [], spliced),
  )
  .map(([text, edit]) => edit(text));

/** How many go over one connection, at most. */
export const mostMessages = 4;

export const conversation: fc.Arbitrary<Conversation> = fc.record({
  messages: fc.oneof(
    { weight: 3, arbitrary: message.map((only) => [only]) },
    fc.array(message, { minLength: 2, maxLength: mostMessages }),
  ),
  cuts: mostly<readonly number[]>([], [], fc.array(place, { maxLength: 4 })),
  vanishesAfter: mostly<number | undefined>(undefined, [], fc.nat(4)),
});

/** What is known when it is sent. */
export interface Known {
  readonly key: string;
  readonly own: number;
  readonly foreign: number;
}

/** The bytes of a conversation, in its pieces. */
export function piecesOf({ messages, cuts }: Conversation, known: Known): Buffer[] {
  const text = messages
    .join('')
    .replaceAll(places.key, known.key)
    .replaceAll(places.own, String(known.own))
    .replaceAll(places.foreign, String(known.foreign));
  return piecesAt(cuts, text).map((piece) => Buffer.from(piece, 'latin1'));
}
