import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';

/** The proxies whose `X-Forwarded-For` is trusted. */
export interface TrustedProxies {
  /** `address` is an IP address. */
  has(address: string): boolean;
}

/** Trusts no proxy: the caller is the peer of the connection. */
export const noProxies: TrustedProxies = { has: () => false };

/** proxy-addr takes more, such as `010.0.0.0` as octal, and every IPv4 address as a range of IPv6. */
function isRange(text: string): boolean {
  const [, address = ''] =
    /^(?!::ffff:.*\/(?:\d|[1-8]\d|9[0-6])$)([\da-f:.]+)(?:\/[1-9]\d{0,2})?$/i.exec(text) ?? [];
  return text === 'loopback' || isIP(address) !== 0;
}

/**
 * Trusts these addresses and ranges of them (`10.0.0.0/8`, `fd00::/8`); `loopback` is this machine.
 * @throws TypeError when one is none, or is all addresses, or there are none
 */
export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  if (ranges.length === 0 || !ranges.every(isRange))
    throw new TypeError('no address, no range, not loopback');
  const trusts = proxyAddr.compile([...ranges]);
  return { has: (address) => trusts(address, 0) };
}

/**
 * The IP address of a request's caller: the nearest one that is not a trusted proxy's. Where a proxy reports something
 * else than an address, that proxy. `-` if the connection ended before the address could be read.
 */
export function clientOf(request: IncomingMessage, proxies: TrustedProxies): string {
  const { remoteAddress } = request.socket;
  if (remoteAddress === undefined) return '-';
  const peer = plain(remoteAddress);
  if (proxies === noProxies || !proxies.has(peer)) return peer;
  const hops = proxyAddr.all(request, (hop) => isIP(bare(hop)) !== 0 && proxies.has(plain(bare(hop))));
  return plain(hops.map(bare).findLast((hop) => isIP(hop) !== 0) ?? peer);
}

/** Without the port that some proxies add, and the brackets in which IPv6 addresses then stand. */
function bare(hop: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  return ipv6 ?? ipv4 ?? hop;
}

/** An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`), as IPv4. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
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
