import { items, matching, parsed } from './setting-types.ts';

/** All are asymmetric: with `HS256` whoever can check tokens could make them, and `none` checks nothing. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

export const tokenAlgorithms = parsed<readonly string[]>(
  'list',
  algorithms.join(', '),
  `one or more of ${algorithms.join(', ')}, with commas between them`,
  (list) =>
    items(list).length > 0 && items(list).every((one) => algorithms.includes(one)) ? items(list) : undefined,
);

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** An answer that somebody else could give would let them make tokens. */
export const keySetUrl = parsed<URL>(
  'URL',
  '',
  'an https URL without a user, such as https://issuer.example/jwks.json; http on this machine only',
  (text) => {
    const url = /^https?:\/\/[^\s\p{Cc}@]+$/iu.test(text) ? URL.parse(text) : undefined;
    return url && (url.protocol === 'https:' || loopback.test(url.hostname)) ? url : undefined;
  },
);

/** A claim's name, or the value of one: on one line, since it is compared byte for byte. */
export const claimText = matching('text', 'text without white space', /^[^\s\p{Cc}]{1,256}$/u);
