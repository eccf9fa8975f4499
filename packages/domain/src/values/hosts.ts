import type { Branded } from './reader.ts';

/** Characters that a reader cannot see or sees as a blank. The URL parser drops some; others break macros. */
export const invisible =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]/u;

/**
 * The WHATWG URL parser: a global of every JavaScript runtime, and the domain's only access to the platform. `hostname`
 * is in lower case, international names in ASCII, IPv4 in dotted decimal. `port` is empty for the scheme's default.
 */
// biome-ignore lint/plugin: the one seam
declare const URL: { parse(url: string): { readonly hostname: string; readonly port: string } | null };

/** Parses a URL; null if it is invalid. */
export const parsedUrl = (text: string) => URL.parse(text);

/** A host name in the form of the URL parser, without a trailing dot. */
export type HostName = Branded<string, 'HostName'>;

/** A host, and how the user spelled it. */
export interface Host {
  readonly name: HostName;
  readonly written: string;
}

/** Reads a host without scheme, credentials, port, path or wildcard. */
export function host(text: string): Host | undefined {
  if (invisible.test(text) || /[/?#@*\\]/.test(text) || /:\d*$/.test(text)) return undefined;
  const name = hostNameOf(`http://${text}/`);
  return name && { name, written: text };
}

/** The host name of a URL. Undefined: the URL is invalid, or its host is a single dot. */
export function hostNameOf(url: string): HostName | undefined {
  const parsed = parsedUrl(url);
  return (parsed && comparable(parsed.hostname)) || undefined;
}

/** The form for comparisons. IPv4 written as IPv6 becomes IPv4 (RFC 4291, section 2.5.5.2; RFC 6052, section 2.1). */
export function comparable(hostname: string): HostName {
  const [isEmbedded, high, low] = embeddedIpv4.exec(hostname) ?? [];
  if (!isEmbedded) return hostname.toLowerCase().replace(/\.$/, '') as HostName;
  // A group of 0 may be missing.
  const bits = Number.parseInt(high || '0', 16) * 65_536 + Number.parseInt(low || '0', 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.') as HostName;
}

/** As the parser writes them: `[::ffff:c000:201]`, `[64:ff9b::c000:201]`, and the latter without leading zeros. */
const embeddedIpv4 = /^\[(?:::ffff:(?=[^\]]*:)|64:ff9b::)(?:([\da-f]+):)?([\da-f]*)\]$/;

/** Whether `name`, in the form of the URL parser, is an IP address. */
export const isIpAddress = (name: string): boolean =>
  name.startsWith('[') || /^[0-9]+(?:\.[0-9]+){3}$/.test(name);

/** In characters (RFC 1035, section 2.3.4). */
export const longestHost = 253;

/** Whether visitors can reach a `hostname` of the URL parser: two labels of 1 to 63 characters or more, or an IP. */
export function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  if (/^(?:[^.]{1,63}\.)+[^.]{1,63}$/.test(name)) return name.length <= longestHost;
  return name === 'localhost' || isIpAddress(name);
}

/** A host that every program reads alike: an ASCII name, an IPv4 address in dotted decimal, or an IPv6 address. */
export const plainHost = /^(?:[A-Za-z\d.-]+|\[[A-Fa-f\d:]+\])$/;

/** A list of hosts: those that the operator denies, or the only ones of a key (contract: the address). */
export interface HostList {
  readonly exact: ReadonlySet<HostName>;
  /** Every name below each of these, but not the name itself. */
  readonly below: ReadonlySet<HostName>;
}

/** The empty list. */
export const noHosts: HostList = { exact: new Set(), below: new Set() };

/**
 * Reads `example.com` (that host) and `*.example.com` (every name below it), or returns the first invalid entry. Only a
 * list to `deny` may contain a whole top-level domain (`*.tk`) or underscores.
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
    // A name below is checked, since an IP address has none.
    const name = host(isWildcard ? `x.${entry.slice(2)}` : entry)?.name ?? '';
    if (!isPublicHost(name) || name.endsWith('.') || !accepted.test(name)) return { notAHost: entry };
    if (!isWildcard) exact.add(name as HostName);
    else if (use === 'deny' || name.split('.').length > 2) below.add(name.slice(2) as HostName);
    else return { notAHost: entry };
  }
  return { exact, below };
}

/** For literals and tests. @throws TypeError for an invalid entry */
hostList.of = (...entries: readonly string[]): HostList => {
  const list = hostList(entries);
  if ('notAHost' in list) throw new TypeError(`not a host: ${list.notAHost}`);
  return list;
};

/** The hosts of a key or a token. Invalid entries match nothing. */
export const namedHosts = (entries: readonly string[]): HostList =>
  hostList.of(...entries.filter((entry) => !('notAHost' in hostList([entry]))));

/** The entries of a list, as `hostList` reads them. */
export const entriesOf = ({ exact, below }: HostList): string[] => [
  ...exact,
  ...[...below].map((name) => `*.${name}`),
];

/** Whether the list contains a `hostname` of the URL parser. */
export function isListed(list: HostList, hostname: string): boolean {
  const name = comparable(hostname);
  if (list.exact.has(name)) return true;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1))
    if (list.below.has(name.slice(dot + 1) as HostName)) return true;
  return false;
}
