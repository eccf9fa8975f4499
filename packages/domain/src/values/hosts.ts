import type { Branded } from './reader.ts';

/** What a reader cannot see, or sees as a blank. The URL parser drops some of it, and it keeps a macro from being filled in. */
export const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;

/** Whether this is an IP address, which has no names below it. `name` has the form of the URL parser. */
export function isIpAddress(name: string): boolean {
  return name.startsWith('[') || /^[0-9]+(?:\.[0-9]+){3}$/.test(name);
}

/**
 * The domain's only access to the platform: the parser of the WHATWG URL standard, which browsers, Node and every
 * other JavaScript runtime provide as a global. `hostname` is in lower case; international names are in ASCII form, IPv4
 * addresses in dotted decimal. `port` has no leading zeros, and is empty for the scheme's own.
 */
// biome-ignore lint/plugin: the one seam
declare const URL: { parse(url: string): { readonly hostname: string; readonly port: string } | null };

/** Null for what is no URL. */
export const parsedUrl = (text: string) => URL.parse(text);

/** The name of a host for comparisons, as the URL standard's parser writes it, without a trailing dot. */
export type HostName = Branded<string, 'HostName'>;

/** A host as a user wrote it. */
export interface Host {
  readonly name: HostName;
  readonly written: string;
}

/** Reads a host without scheme, credentials, port, path or wildcard. Undefined if it is not one. */
export function host(text: string): Host | undefined {
  if (invisible.test(text) || /[/?#@*\\]/.test(text) || /:\d*$/.test(text)) return undefined;
  const name = hostNameOf(`http://${text}/`);
  return name && { name, written: text };
}

/** The host name of a URL. Undefined if the URL has none. */
export function hostNameOf(url: string): HostName | undefined {
  const parsed = parsedUrl(url);
  // The parser accepts a single dot, the root, as a host; no name is left to compare.
  return (parsed && comparable(parsed.hostname)) || undefined;
}

/**
 * The name that is compared. `hostname` comes from the URL parser, or has the same form. An IPv4 address that is written
 * as IPv6 is compared as IPv4 (RFC 4291, section 2.5.5.2; RFC 6052, section 2.1).
 */
export function comparable(hostname: string): HostName {
  const [isEmbedded, high, low] = embeddedIpv4.exec(hostname) ?? [];
  if (isEmbedded) return [...bytesOf(high), ...bytesOf(low)].join('.') as HostName;
  return hostname.toLowerCase().replace(/\.$/, '') as HostName;
}

/** As the parser writes them: `[::ffff:c000:201]`, `[64:ff9b::c000:201]`, and the latter without leading zeros. */
const embeddedIpv4 = /^\[(?:::ffff:(?=[^\]]*:)|64:ff9b::)(?:([\da-f]+):)?([\da-f]*)\]$/;

/** The two bytes of a group of an IPv6 address, which is in hexadecimal and can be left out if it is 0. */
function bytesOf(group: string | undefined): number[] {
  const value = Number.parseInt(group || '0', 16);
  return [value >> 8, value & 0xff];
}

/** In characters (RFC 1035, section 2.3.4). */
export const longestHost = 253;

/** At least two labels of 1 to 63 characters. */
const publicName = /^(?:[^.]{1,63}\.)+[^.]{1,63}$/;

/** Whether visitors can reach a host of this name, which the URL parser has written; one trailing dot is allowed. */
export function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (publicName.test(name)) return name.length <= longestHost;
  return name === 'localhost' || isIpAddress(name);
}

/** A host that every program reads alike: an ASCII name, an IPv4 address as four decimal numbers, or an IPv6 address. */
export const plainHost = /^(?:[A-Za-z\d.-]+|\[[A-Fa-f\d:]+\])$/;

/**
 * A list of hosts (contract: the address). No mirror can point to those that the operator denies: its own link domains, so
 * that no mirror points back to the redirector. A key can be for the hosts of a list only.
 */
export interface HostList {
  readonly exact: ReadonlySet<HostName>;
  /** Every name below each of these, but not the name itself. */
  readonly below: ReadonlySet<HostName>;
}

/** Lists no host. */
export const noHosts: HostList = { exact: new Set(), below: new Set() };

/**
 * Reads `example.com` (that host) and `*.example.com` (every name below it), or returns the entry that is none: a host is
 * one that an address can have. Only a list to `deny` may name a whole top-level domain (`*.tk`) or contain underscores.
 */
export function hostList(
  entries: readonly string[],
  use: 'allow' | 'deny' = 'allow',
): HostList | { notAHost: string } {
  const exact = new Set<HostName>();
  const below = new Set<HostName>();
  const accepted = use === 'allow' ? plainHost : /^[\w.[:\]-]+$/;
  for (const entry of entries) {
    const isWildcard = entry.startsWith('*.');
    // A name below it is checked in its place: an IP address has none.
    const name = host(isWildcard ? `x.${entry.slice(2)}` : entry)?.name ?? '';
    if (!isPublicHost(name) || name.endsWith('.') || !accepted.test(name)) return { notAHost: entry };
    if (!isWildcard) exact.add(name as HostName);
    else if (use === 'deny' || name.split('.').length > 2) below.add(name.slice(2) as HostName);
    else return { notAHost: entry };
  }
  return { exact, below };
}

/** For literals and tests. @throws TypeError for an entry that is no host */
hostList.of = (...entries: readonly string[]): HostList => {
  const list = hostList(entries);
  if ('notAHost' in list) throw new TypeError(`not a host: ${list.notAHost}`);
  return list;
};

/** The hosts that a key or a token names. An entry that is no host matches nothing. */
export const namedHosts = (entries: readonly string[]): HostList =>
  hostList.of(...entries.filter((entry) => !('notAHost' in hostList([entry]))));

/** The entries of a list: `hostList` reads the same list from them. */
export function entriesOf({ exact, below }: HostList): string[] {
  return [...exact, ...[...below].map((name) => `*.${name}`)];
}

/** `hostname` comes from the URL parser. */
export function isListed(list: HostList, hostname: string): boolean {
  const name = comparable(hostname);
  if (list.exact.has(name)) return true;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1))
    if (list.below.has(name.slice(dot + 1) as HostName)) return true;
  return false;
}
