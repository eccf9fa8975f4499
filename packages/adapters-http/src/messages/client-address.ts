import type { Socket } from 'node:net';
import { headerValues } from './authorization.ts';
import { type Hop, inForwarded, inXForwardedFor, plainAddress } from './forwarded-headers.ts';

/** The proxies whose forwarding headers are trusted. */
export interface TrustedProxies {
  /** `address` is an IP address in its shortest form. */
  has(address: string): boolean;
}

/** Trusts no proxy: the caller is the peer of the connection. */
export const noProxies: TrustedProxies = { has: () => false };

/** The peer of a connection, or the client behind it. */
export class ConnectionClient {
  /** `-` if the connection ended before the address could be read. */
  readonly peer: string;
  /** Set if the peer itself is such a proxy. */
  readonly #proxies: TrustedProxies | undefined;

  constructor({ remoteAddress }: Pick<Socket, 'remoteAddress'>, proxies: TrustedProxies) {
    this.peer = remoteAddress === undefined ? '-' : plainAddress(remoteAddress);
    if (remoteAddress !== undefined && proxies.has(this.peer)) this.#proxies = proxies;
  }

  /**
   * The client of a request, from its raw headers, name and value in turn. A proxy writes one of the two headers and
   * can pass on a caller's value of the other, so if they disagree, neither is trusted.
   */
  address(rawHeaders: readonly string[]): string {
    const { peer } = this;
    const proxies = this.#proxies;
    if (proxies === undefined) return peer;
    const told = [
      inXForwardedFor(headerValues(rawHeaders, 'x-forwarded-for')),
      inForwarded(headerValues(rawHeaders, 'forwarded')),
    ]
      .filter((hops) => hops.length > 0)
      .map((hops) => nearestUntrusted(peer, hops, proxies));
    const [first = peer] = told;
    return told.every((address) => address === first) ? first : peer;
  }
}

/** The first address that is not a proxy's; otherwise, or if a proxy reports something else than an address, the last known proxy. */
function nearestUntrusted(peer: string, hops: readonly Hop[], proxies: TrustedProxies): string {
  let known = peer;
  for (const hop of hops) {
    if (hop === undefined) return known;
    known = hop;
    if (!proxies.has(hop)) return known;
  }
  return known;
}
