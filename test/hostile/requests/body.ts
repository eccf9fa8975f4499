import * as fc from 'fast-check';
import { broken, bytes, mostly } from './odd.ts';

/** So large may a body be, in bytes. */
const limit = 16_384;

const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const { stringify } = JSON;
const escaped = (text: string) =>
  text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** `<NUMBER>` stands for a number, by which each address is another one. */
const start = 'https://one.example/<NUMBER>';
const address = mostly(
  `${start}?c={click_id}`,
  [
    ...['\u00e4\u{1f600}', '%00', '\\', '"', '<script>', "';--", ' ', '\u0000', '\u2028', '\ud800'].map(
      (tail) => `${start}?${tail}`,
    ),
    ...['HTTPS://ONE.example', 'http://ex\u00e4mple.com', 'http://[::1]', 'http://0x7f.1'].map(
      (origin) => `${origin}/<NUMBER>/../x`,
    ),
    ...['', 'https:/', 'https://', 'ftp://a/', 'javascript:1', '//a', 'https://a@b/', 'https://a:99999/'].map(
      (origin) => `${origin}/<NUMBER>`,
    ),
  ],
  fc.nat(2_100).map((length) => `${start}/${'x'.repeat(length)}`),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => `${start}/${text}`),
);

/** JSON that says an address, or hides it: `<PAIR>` stands for the key and the address, `<ADDRESS>` for this alone. */
const json = mostly(
  '{<PAIR>}',
  [
    ...[
      '\ufeff{<PAIR>}',
      ' \r\n\t{ <PAIR> } ',
      '{"__proto__":{"x":1},<PAIR>}',
      '{"mirror_endpoint":1,<PAIR>}',
    ],
    ...['{"mirror\\u005fendpoint":"<ESCAPED>"}', '{<PAIR>,"mirror_endpoint":null}', '[{<PAIR>}]'],
    ...['{"mirror_endpoint":[<ADDRESS>]}', '{"__proto__":{<PAIR>}}', '{<PAIR>}{<PAIR>}', '{<PAIR>', '', '{}'],
    ...['null', '[]', '42', '{"mirror_endpoint":{}}', '{"mirror_endpoint":1e999}'],
  ],
  fc.nat(5_000).map((depth) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)},<PAIR>}`),
);

const length = mostly(0, [limit - 1, limit, limit + 1, 2 * limit]);
const said = fc.tuple(fc.nat(2 ** 31 - 1), address, json, length).map(([number, form, text, least]) => {
  const told = form.replace('<NUMBER>', String(number));
  return text
    .replaceAll('<PAIR>', () => `"mirror_endpoint":${stringify(told)}`)
    .replace('<ADDRESS>', () => stringify(told))
    .replace('<ESCAPED>', () => escaped(told))
    .padEnd(least);
});

/** What a request says, as bytes: one a character. */
export const body = mostly(
  said.map(utf8),
  [],
  fc.tuple(said, broken).map(([text, change]) => change(utf8(text))),
  said.map((text) => Buffer.from(text, 'utf16le').toString('latin1')),
  said,
  bytes(60),
);
