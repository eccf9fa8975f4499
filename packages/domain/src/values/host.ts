import type { Branded } from './branded.ts';
import { parseUrl } from './url.ts';

/**
 * The name of a host by which it is compared: as the URL standard's parser has it, in lower case, without a trailing
 * dot. `B%C3%9Ccher.example.` is `xn--bcher-kva.example`.
 */
export type HostName = Branded<string, 'HostName'>;

/** A host as somebody wrote it. */
export interface Host {
  readonly name: HostName;
  readonly written: string;
}

/** Reads a host: neither a scheme nor credentials, a port, a path or a wildcard. Undefined where it is none. */
export function host(text: string): Host | undefined {
  if (/[\s/?#@*\\]/.test(text) || /:\d*$/.test(text.replace(/^\[[^\]]*\]/, ''))) return undefined;
  // The parser takes the root of all names, a single dot, for a host: nothing is left of it to compare with.
  const name = hostNameOf(`http://${text}/`) || undefined;
  return name && { name, written: text };
}

/** The name of the host of a URL. Undefined where it is none. */
export function hostNameOf(url: string): HostName | undefined {
  const parsed = parseUrl(url);
  return parsed && comparable(parsed.hostname);
}

/** `hostname` is the URL parser's, or one that was written just so. */
export function comparable(hostname: string): HostName {
  return hostname.toLowerCase().replace(/\.$/, '') as HostName;
}

/** Whether this is an IP address, which has no names below it. */
export function isIpAddress(name: HostName): boolean {
  return name.startsWith('[') || /^[0-9]+(?:\.[0-9]+){3}$/.test(name);
}
