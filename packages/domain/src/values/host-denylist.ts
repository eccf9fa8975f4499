import { comparable, type HostName, host } from './host.ts';

/**
 * Hosts that no mirror can point to: the operator's own link domains, so that no mirror points back to the redirector
 * (contract: the address).
 */
export interface HostDenylist {
  readonly exact: ReadonlySet<HostName>;
  /** Every name below each of these, but not the name itself. */
  readonly below: ReadonlySet<HostName>;
}

/** Denies no host. */
export const noDeniedHosts: HostDenylist = { exact: new Set(), below: new Set() };

/**
 * Reads entries such as `example.com` (that host) and `*.example.com` (every name below it). `BÜCHER.example` also
 * denies `xn--bcher-kva.example`. An entry that is not a host is returned as `{ notAHost }`.
 */
export function hostDenylist(entries: readonly string[]): HostDenylist | { notAHost: string } {
  const exact = new Set<HostName>();
  const below = new Set<HostName>();
  for (const entry of entries) {
    const wildcard = entry.startsWith('*.');
    const denied = host(wildcard ? entry.slice(2) : entry);
    if (denied === undefined) return { notAHost: entry };
    (wildcard ? below : exact).add(denied.name);
  }
  return { exact, below };
}

/** `hostname` comes from the URL parser. */
export function isDenied(denied: HostDenylist, hostname: string): boolean {
  const name = comparable(hostname);
  if (denied.exact.has(name)) return true;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
    if (denied.below.has(name.slice(dot + 1) as HostName)) return true;
  }
  return false;
}
