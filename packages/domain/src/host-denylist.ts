import type { Branded } from './branded.ts';
import { parseUrl } from './url.ts';

/**
 * Hosts that no mirror may point to: the operator's own link domains, so that no mirror points back at the
 * redirector (decisions: the address).
 */
export interface HostDenylist {
  readonly exact: ReadonlySet<DeniedHost>;
  /** Every name below each of these, not the name itself. */
  readonly below: ReadonlySet<DeniedHost>;
}

type DeniedHost = Branded<string, 'DeniedHost'>;

export const noDeniedHosts: HostDenylist = { exact: new Set(), below: new Set() };

/**
 * Reads entries such as `example.com` (that host) and `*.example.com` (every name below it).
 * An entry that is no host is returned as `{ notAHost }`.
 */
export function hostDenylist(entries: readonly string[]): HostDenylist | { notAHost: string } {
  const exact = new Set<DeniedHost>();
  const below = new Set<DeniedHost>();
  for (const entry of entries) {
    const wildcard = entry.startsWith('*.');
    const host = hostOf(wildcard ? entry.slice(2) : entry);
    if (host === undefined) return { notAHost: entry };
    (wildcard ? below : exact).add(host);
  }
  return { exact, below };
}

/** `hostname` is the URL parser's. */
export function isDenied(denied: HostDenylist, hostname: string): boolean {
  if (denied.exact.size === 0 && denied.below.size === 0) return false;
  const host = comparable(hostname);
  if (denied.exact.has(host)) return true;
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    if (denied.below.has(host.slice(dot + 1) as DeniedHost)) return true;
  }
  return false;
}

/** The URL parser's name for the host, so that `BÜCHER.example` denies `xn--bcher-kva.example`. */
function hostOf(entry: string): DeniedHost | undefined {
  if (/[\s/?#@*\\]/.test(entry) || /:\d*$/.test(entry.replace(/^\[[^\]]*\]/, ''))) return undefined;
  const parsed = parseUrl(`http://${entry}/`);
  // The parser takes the root of all names, a single dot, for a host: nothing is left of it to compare with.
  return (parsed && comparable(parsed.hostname)) || undefined;
}

function comparable(hostname: string): DeniedHost {
  return hostname.toLowerCase().replace(/\.$/, '') as DeniedHost;
}
