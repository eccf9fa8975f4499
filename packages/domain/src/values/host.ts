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

/** `hostname` comes from the URL parser, or has the same form. */
export function comparable(hostname: string): HostName {
  return hostname.toLowerCase().replace(/\.$/, '') as HostName;
}

/** Whether this is an IP address, which has no names below it. */
export function isIpAddress(name: HostName): boolean {
  return name.startsWith('[') || /^[0-9]+(?:\.[0-9]+){3}$/.test(name);
}
