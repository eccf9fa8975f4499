import * as fc from 'fast-check';
import { brokenText, bytes, mostly, one } from './odd.ts';

/** Stand in what is generated for what is only known when it is sent. */
export const places = { key: '<KEY>', own: '<OWN>', foreign: '<FOREIGN>' } as const;

const route = (campaign: string) => `/public/v1/mirror/campaign/${campaign}/mirror`;
const own = route(places.own);

export const method = mostly(
  one('POST'),
  one('GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE', 'CONNECT', 'SOURCE'),
  one('PRI', 'post', 'BREW', 'POSTX', '', 'POST POST', ' POST'),
  brokenText('POST'),
);

export const target = mostly(
  one(own),
  one(route(places.foreign)),
  one('424242', '%31', '01', '-1', '9'.repeat(17), '', '..', '%2f', '%00', '%', '\xe4', '%ff').map(route),
  one(`${own}/`, `/${own}`, own.toUpperCase(), `${own}?a=/b?c`, `${own}#x`, `/./${own}`, '/', '*', ''),
  one(`http://b.example${own}`, `HTTPS://b:80${own}`, `http://b@c${own}`, 'b.example:443', `ws://b${own}`),
  fc.nat(400).map((length) => `/${'x'.repeat(length)}`),
  fc.nat(17_000).map((length) => `${own}?${'x'.repeat(length)}`),
  bytes(20).map((text) => `/${text}`),
  brokenText(own),
);

export const version = mostly(
  one('HTTP/1.1'),
  one('HTTP/1.0'),
  one('HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/1.', 'HTTP/11', 'http/1.1', 'HTTP/1.1 ', 'ICE/1.0', ''),
  brokenText('HTTP/1.1'),
);
