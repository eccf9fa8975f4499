import * as fc from 'fast-check';
import { broken, bytes, mostly, one } from './odd.ts';

/** So large may a body be, in bytes. */
const limit = 16_384;

const utf8 = (text: string) => Buffer.from(text).toString('latin1');

type Form = (text: string) => string;
const plain: Form = (text) => text;
/** Chosen before it is known of what: making a choice anew for each text takes long. */
const formed = (text: fc.Arbitrary<string>, form: fc.Arbitrary<Form>) =>
  fc.tuple(text, form).map(([of, how]) => how(of));

const tails = [
  '\u00e4\u{1f600}',
  '%00',
  '\\',
  '"',
  '<script>',
  "';--",
  '[sub]|',
  ' ',
  '\u0000',
  '\u2028',
  '\ud800',
  '\u202e',
];
const starts = [
  'HTTPS://ONE.example',
  'http://ex\u00e4mple.com',
  'http://[::1]',
  'http://0x7f.1',
  'https://one.example:443',
];
const wrongStarts = [
  '',
  ' ',
  'https:/',
  'https://',
  'ftp://a/',
  'javascript:1',
  '//a',
  'https://a@b/',
  'https://a:99999/',
  'https://a b/',
];

/** Each address is another one. */
const address = formed(
  fc.nat(2 ** 31 - 1).map(String),
  mostly<Form>(
    one((number) => `https://one.example/${number}?c={click_id}`),
    one(...tails).map(
      (tail): Form =>
        (number) =>
          `https://one.example/${number}?${tail}`,
    ),
    one(...starts, ...wrongStarts).map(
      (start): Form =>
        (number) =>
          `${start}/${number}/../x`,
    ),
    fc.nat(2_100).map(
      (length): Form =>
        (number) =>
          `https://one.example/${number}/${'x'.repeat(length)}`,
    ),
    fc.string({ unit: 'binary', maxLength: 20 }).map(
      (text): Form =>
        (number) =>
          `https://one.example/${number}/${text}`,
    ),
  ),
);

const json = JSON.stringify;
const pair: Form = (text) => `"mirror_endpoint":${json(text)}`;
const escaped: Form = (text) =>
  text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const useless = [
  '',
  '{}',
  'null',
  '[]',
  '42',
  '{"mirror_endpoint":{}}',
  '{"mirror_endpoint":1e999}',
  '{"mirror_endpoint":true}',
];

/** JSON that says an address, or hides it. */
const inJson = mostly<Form>(
  one((text) => `{${pair(text)}}`),
  one(
    (text) => `\ufeff{${pair(text)}}`,
    (text) => ` \r\n\t{ ${pair(text)} } `,
    (text) => `{"a":[{}],${pair(text)}}`,
    (text) => `{"__proto__":{"x":1},${pair(text)}}`,
    (text) => `{"mirror\\u005fendpoint":"${escaped(text)}"}`,
    (text) => `{"mirror_endpoint":1,${pair(text)}}`,
    (text) => `{${pair(text)},"mirror_endpoint":null}`,
    (text) => `{"constructor":1,${pair(text)},${pair(text)}}`,
  ),
  one(
    (text) => `{"mirror_endpoint":[${json(text)}]}`,
    (text) => `[{${pair(text)}}]`,
    (text) => `{"__proto__":{${pair(text)}}}`,
    (text) => `{${pair(text)}}{${pair(text)}}`,
    (text) => `{${pair(text)}`,
    json,
  ),
  one(...useless).map(
    (text): Form =>
      () =>
        text,
  ),
  one(limit - 1, limit, limit + 1, 2 * limit).map(
    (length): Form =>
      (text) =>
        `{${pair(text)}}`.padEnd(length),
  ),
  fc.nat(5_000).map(
    (depth): Form =>
      (text) =>
        `{"a":${'['.repeat(depth)}${']'.repeat(depth)},${pair(text)}}`,
  ),
);

/** What a request says, as bytes: one a character. */
export const body = formed(
  formed(address, inJson),
  mostly<Form>(
    one(utf8),
    broken.map(
      (change): Form =>
        (text) =>
          change(utf8(text)),
    ),
    one((text) => Buffer.from(text, 'utf16le').toString('latin1'), plain),
    bytes(60).map(
      (text): Form =>
        () =>
          text,
    ),
  ),
);
