import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';

/** The proxies whose `X-Forwarded-For` is trusted. */
export interface TrustedProxies {
  /** `address` is an IP address. */
  has(address: string): boolean;
}

/** Stricter than proxy-addr, which reads `010.0.0.0` as octal, and accepts `::ffff:0:0/96` for every IPv4 address. */
function isRange(text: string): boolean {
  const [, address = ''] =
    /^(?!::ffff:.*\/(?:\d|[1-8]\d|9[0-6])$)([\da-f:.]+)(?:\/[1-9]\d{0,2})?$/i.exec(text) ?? [];
  return text === 'loopback' || isIP(address) !== 0;
}

/** Trusts addresses, ranges (`10.0.0.0/8`), and `loopback`. @throws TypeError for another list */
export function trustedProxies(ranges: readonly string[]): TrustedProxies {
  if (ranges.length === 0 || !ranges.every(isRange))
    throw new TypeError('no address, no range, not loopback');
  const trusts = proxyAddr.compile([...ranges]);
  return { has: (address) => trusts(address, 0) };
}

/** The nearest address that is not a trusted proxy, otherwise the farthest proxy; `-` if the connection has ended. */
export function clientOf(request: IncomingMessage, proxies: TrustedProxies | undefined): string {
  const { remoteAddress } = request.socket;
  if (remoteAddress === undefined) return '-';
  const peer = plain(remoteAddress);
  if (!proxies?.has(peer)) return peer;
  const hops = proxyAddr.all(request, (hop) => isIP(plain(hop)) !== 0 && proxies.has(plain(hop)));
  return hops.map(plain).findLast((hop) => isIP(hop) !== 0) ?? peer;
}

/** The address without the port and the brackets that some proxies add, and without the `::ffff:` before IPv4. */
function plain(hop: string): string {
  const [, ipv6, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  const address = ipv6 ?? ipv4 ?? hop;
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address;
}

/** The network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address in its shortest form. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [before = '', after = ''] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: Math.max(8 - before.length - after.length, 0) }, () => '0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
