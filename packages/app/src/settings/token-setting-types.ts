import * as v from 'valibot';
import type { SettingType } from './setting-types.ts';

/** All are asymmetric: with `HS256` whoever can check tokens could make them, and `none` checks nothing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export const tokenAlgorithms: SettingType<readonly string[]> = {
  type: 'list',
  range: algorithms.join(', '),
  schema: v.pipe(
    v.string(),
    v.transform((list) => list.split(/[\s,]+/).filter(Boolean)),
    v.check(
      (list) => list.length > 0 && list.every((one) => algorithms.includes(one)),
      `one or more of ${algorithms.join(', ')}, with commas between them`,
    ),
  ),
};

/** An answer that somebody else could give would let them make tokens. */
export const keySetUrl: SettingType<URL> = {
  type: 'URL',
  range: '',
  schema: v.pipe(
    v.string(),
    v.check(
      isKeySetUrl,
      'an https URL without a user, such as https://issuer.example/jwks.json; http on this machine only',
    ),
    v.transform((text) => new URL(text)),
  ),
};

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function isKeySetUrl(text: string): boolean {
  const url = /^https?:\/\/[^\s\p{Cc}@]+$/iu.test(text) ? URL.parse(text) : null;
  return url !== null && (url.protocol === 'https:' || loopback.test(url.hostname));
}

/** A claim's name, or the value of one: on one line, since it is compared byte for byte. */
export const claimText: SettingType<string> = {
  type: 'text',
  range: '',
  schema: v.pipe(v.string(), v.regex(/^[^\s\p{Cc}]{1,256}$/u, 'text without white space')),
};
