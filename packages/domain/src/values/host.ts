import type { Branded } from './branded.ts';
import { parseUrl } from './url.ts';

/**
 * The normalized name of a host, used in comparisons: the form of the URL standard's parser, in lower case, without a
 * trailing dot. `B%C3%9Ccher.example.` is `xn--bcher-kva.example`.
 */
export type HostName = Branded<string, 'HostName'>;

/** A host as a user wrote it. */
export interface Host {
  readonly name: HostName;
  readonly written: string;
}

/** Reads a host without scheme, credentials, port, path or wildcard. Undefined if it is not one. */
export function host(text: string): Host | undefined {
  if (/[\s/?#@*\\]/.test(text) || /:\d*$/.test(text)) return undefined;
  // The parser accepts a single dot, the root, as a host; no name is left to compare.
  const name = hostNameOf(`http://${text}/`) || undefined;
  return name && { name, written: text };
}

/** The host name of a URL. Undefined if the URL has none. */
export function hostNameOf(url: string): HostName | undefined {
  const parsed = parseUrl(url);
  return parsed && comparable(parsed.hostname);
}

/** Whether the URL is on this host, or on a name below it where that counts, too. */
export function isOnHost(url: string, wanted: HostName, subdomains: boolean): boolean {
  const name = hostNameOf(url);
  return name === wanted || (subdomains && name?.endsWith(`.${wanted}`) === true);
}

/** In characters (RFC 1035, section 2.3.4). */
export const longestHost = 253;
/** At least two labels of 1 to 63 characters. */
const publicName = /^(?:[^.]{1,63}\.)+[^.]{1,63}$/;

/**
 * Whether visitors can reach a host of this name: an IP address, `localhost`, or a name of at least two labels, none of
 * them empty or too long, with at most one trailing dot. `hostname` comes from the URL parser.
 */
export function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (publicName.test(name)) return name.length <= longestHost;
  return name === 'localhost' || isIpAddress(name);
}

/**
 * `hostname` comes from the URL parser, or has the same form. An IPv4 address that is written as IPv6 is compared as
 * IPv4 (RFC 4291, section 2.5.5.2; RFC 6052, section 2.1).
 */
export function comparable(hostname: string): HostName {
  const embedded = hostname.startsWith('[') && embeddedIpv4.exec(hostname);
  if (embedded) return embedded.slice(1).flatMap(bytesOf).join('.') as HostName;
  return hostname.toLowerCase().replace(/\.+$/, '') as HostName;
}

/** As the parser writes them: `[::ffff:c000:201]`, `[64:ff9b::c000:201]`, and the latter without leading zeros. */
const embeddedIpv4 = /^\[(?:::ffff:(?=[^\]]*:)|64:ff9b::)(?:([\da-f]+):)?([\da-f]*)\]$/;

/** Of 16 bits, in hexadecimal. */
function bytesOf(group: string | undefined): number[] {
  const value = Number.parseInt(group || '0', 16);
  return [value >> 8, value & 0xff];
}

/** Whether this is an IP address, which has no names below it. `name` has the form of the URL parser. */
export function isIpAddress(name: string): boolean {
  return name.startsWith('[') || /^[0-9]+(?:\.[0-9]+){3}$/.test(name);
}
