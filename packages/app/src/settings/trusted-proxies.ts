import { BlockList, isIP, isIPv6 } from 'node:net';
import type { TrustedProxies } from '@campaign-mirror/adapters-http';

/** This machine. */
const loopback = ['127.0.0.0/8', '::1'];

/** An address, or a range of them. Not all addresses: then any caller would be trusted. */
const range = /^([\da-f:.]+)(?:\/([1-9][0-9]{0,2}))?$/i;

/**
 * The proxies of these addresses and ranges (`10.0.0.0/8`, `fd00::/8`), or the invalid one; `loopback` is this machine.
 */
export function trustedProxies(ranges: readonly string[]): TrustedProxies | { notAnAddress: string } {
  const list = new BlockList();
  for (const text of ranges.flatMap((one) => (one === 'loopback' ? loopback : [one]))) {
    const [, address = '', prefix] = range.exec(text) ?? [];
    const bits = isIP(address) === 4 ? 32 : 128;
    if (isIP(address) === 0 || Number(prefix ?? bits) > bits) return { notAnAddress: text };
    list.addSubnet(address, Number(prefix ?? bits), familyOf(address));
  }
  if (list.rules.length === 0) return { notAnAddress: '' };
  return { has: (address) => list.check(address, familyOf(address)) };
}

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');
