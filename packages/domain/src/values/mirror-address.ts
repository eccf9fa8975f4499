import type { Branded } from './identifiers.ts';

/** An address that a mirror can point to (contract: the address). Kept exactly as it was sent. */
export type MirrorAddress = Branded<string, 'MirrorAddress'>;

/** In Unicode code points. */
export const longestAddress = 2048;

/** Why a text is not a mirror address, in the order of the checks, each in the words of the contract (answers, 422). */
export const addressFaults = {
  'too-long': `must not be greater than ${longestAddress} characters`,
  'forbidden-character': 'must not contain white space, backslashes or invisible characters',
  'not-http': 'must start with http:// or https://',
  credentials: 'must not contain a user name or a password',
  /** No host, none that the parser of the URL standard accepts, or a host or a port that no browser can reach. */
  'not-a-url': 'must be a valid URL',
  'denied-host': 'must not point to this host',
  /** The caller may set mirrors to other hosts only. */
  'host-not-of-key': 'must not point to this host',
} as const;
/** Why a text is not a mirror address. */
export type AddressFault = keyof typeof addressFaults;

/** In characters (RFC 1035, section 2.3.4). */
const longestHost = 253;

/** The scheme, exactly two slashes, and the authority: up to the path, query or fragment (RFC 3986, section 3.2). */
const absolute = /^https?:\/\/([^/?#]*)/i;
const port = /:[^:\]]*$/;
/** ASCII that everybody sees, without the backslash, which parsers treat as a slash: most addresses need no closer look. */
const plain = /^[!-[\]-~]*$/;
/** What a reader cannot see, or sees as a blank. The URL parser drops some of it, and it keeps a macro from being filled in. */
export const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;
/** What shapes the characters around it: a joiner between two of them, a variation selector after one or in a keycap. */
const shaping =
  /(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])(?:[\u200C\u200D](?=[\p{L}\p{M}\p{Extended_Pictographic}])|\p{Variation_Selector})|(?<=[0-9#*])\uFE0F(?=\u20E3)/gu;
/** 0, and the bad ports of the Fetch standard (section 2.9, port blocking). */
const blockedPorts = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
  137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719
  1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/),
);

/**
 * Checks a text as a mirror address: returns the address, or what is wrong with it. `allowed`: the only hosts that the
 * caller may name; a redirector may fill in a macro with anything, so a host with a brace is none of them.
 */
export function mirrorAddress(
  text: string,
  denied: HostList,
  allowed?: HostList,
): MirrorAddress | { fault: AddressFault } {
  if (isLongerThan(text, longestAddress)) return { fault: 'too-long' };
  if (!plain.test(text) && hasForbiddenCharacter(text)) return { fault: 'forbidden-character' };
  const authority = absolute.exec(text)?.[1];
  if (authority === undefined) return { fault: 'not-http' };
  if (authority.includes('@')) return { fault: 'credentials' };
  // The parser would take the host of `https:///a.example/` from its path.
  if (authority === '') return { fault: 'not-a-url' };
  // Checked before parsing: to parse an international name of any length would take milliseconds.
  if (authority.length > longestHost && isLongerThan(authority.replace(port, ''), longestHost))
    return { fault: 'not-a-url' };
  const parsed = URL.parse(text);
  if (!parsed || !isPublicHost(parsed.hostname) || blockedPorts.has(parsed.port))
    return { fault: 'not-a-url' };
  const { hostname } = parsed;
  if (isListed(denied, hostname)) return { fault: 'denied-host' };
  if (allowed && (/[{}]/.test(hostname) || !isListed(allowed, hostname))) return { fault: 'host-not-of-key' };
  return text as MirrorAddress;
}

/** For literals and tests. @throws TypeError with what is wrong with the address, but not the address itself */
mirrorAddress.of = (text: string, denied = noDeniedHosts): MirrorAddress => {
  const address = mirrorAddress(text, denied);
  if (typeof address === 'string') return address;
  throw new TypeError(`not an address of a mirror: it ${addressFaults[address.fault]}`);
};

/** Outside the host, what shapes letters and emoji is allowed: Persian and Indian words and many emoji need it. */
function hasForbiddenCharacter(text: string): boolean {
  if (text.includes('\\')) return true;
  if (!invisible.test(text)) return false;
  const [start = ''] = absolute.exec(text) ?? [];
  return invisible.test(start) || invisible.test(text.slice(start.length).replace(shaping, ''));
}

function isLongerThan(text: string, codePoints: number): boolean {
  // A code point takes one or two UTF-16 code units, so most texts need no counting.
  return text.length > codePoints && (text.length > 2 * codePoints || [...text].length > codePoints);
}

/** At least two labels of 1 to 63 characters. */
const publicName = /^(?:[^.]{1,63}\.)+[^.]{1,63}$/;

/** Whether visitors can reach a host of this name, which the URL parser has written; one trailing dot is allowed. */
function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (publicName.test(name)) return name.length <= longestHost;
  return name === 'localhost' || isIpAddress(name);
}

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
  const parsed = URL.parse(url);
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
  return hostname.toLowerCase().replace(/\.+$/, '') as HostName;
}

/** As the parser writes them: `[::ffff:c000:201]`, `[64:ff9b::c000:201]`, and the latter without leading zeros. */
const embeddedIpv4 = /^\[(?:::ffff:(?=[^\]]*:)|64:ff9b::)(?:([\da-f]+):)?([\da-f]*)\]$/;

/** The two bytes of a group of an IPv6 address, which is in hexadecimal and can be left out if it is 0. */
function bytesOf(group: string | undefined): number[] {
  const value = Number.parseInt(group || '0', 16);
  return [value >> 8, value & 0xff];
}

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
export const noDeniedHosts: HostList = { exact: new Set(), below: new Set() };

/** Reads `example.com` (that host) and `*.example.com` (every name below it), or returns the entry that is none. */
export function hostList(entries: readonly string[]): HostList | { notAHost: string } {
  const exact = new Set<HostName>();
  const below = new Set<HostName>();
  for (const entry of entries) {
    const isWildcard = entry.startsWith('*.');
    const listed = host(isWildcard ? entry.slice(2) : entry);
    // The parser accepts more in a name, such as the semicolon of `a.example;b.example`: such an entry would list nothing.
    if (listed === undefined || !/^[\w.[:\]-]+$/.test(listed.name)) return { notAHost: entry };
    if (isWildcard && isIpAddress(listed.name)) return { notAHost: entry };
    if (isWildcard) below.add(listed.name);
    else exact.add(listed.name);
  }
  return { exact, below };
}

/** For literals and tests. @throws TypeError for an entry that is no host */
hostList.of = (...entries: readonly string[]): HostList => {
  const list = hostList(entries);
  if ('notAHost' in list) throw new TypeError(`not a host: ${list.notAHost}`);
  return list;
};

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
