import type { Replies, Reply } from '../answers/replies.ts';
import type { Exchange } from '../listener/exchange.ts';
import type { Limiter } from '../listener/limiter.ts';
import { limitHeaders, secondsLeft } from './limit-headers.ts';

/**
 * Answers refused keys: with 401, or with 429 if the address has sent too many of them. Each key is checked first, so a
 * valid key is never refused because of others at its address. The 401 answers do not show the count.
 */
export function failedKeys(
  limiter: Limiter,
  replies: Replies,
): (exchange: Exchange, refusal: Reply) => Promise<void> {
  const headersOf = limitHeaders('failed-keys', limiter.rate);
  return async (exchange, refusal) => {
    const count = await limiter.count(networkOf(exchange.client));
    if (!count || count.consumed <= limiter.rate.limit) return exchange.answer(refusal);
    exchange.limitHeaders = headersOf(count);
    exchange.answer(replies.tooManyAttempts('failed-keys', secondsLeft(count)));
  };
}

/**
 * The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address. Takes an address in its
 * shortest form.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after = ''] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(8 - before.length - after.length, 0) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
