import * as hosts from '../values/hosts.ts';
import { mirrorAddress } from '../values/mirror-address.ts';

/** The hosts from which mirrors move, and the host to which they move. */
export interface HostMove {
  /** At least one. */
  readonly from: readonly hosts.HostName[];
  /** Written into addresses as the user spelled it. */
  readonly to: hosts.Host;
  /** Names below the old hosts move too: `x.old.example` becomes `x.new.example`. */
  readonly subdomains: boolean;
}

/** Why a move is invalid. */
export type HostMoveFault = 'no-names-below' | 'below-source' | 'denied-host' | 'impossible-host';

/** Checks a move before any mirror is read. Undefined: the move is valid. */
export function hostMoveFault(move: HostMove, denied: hosts.HostList): HostMoveFault | undefined {
  const { from, to, subdomains } = move;
  if (subdomains && [...from, to.name].some(hosts.isIpAddress)) return 'no-names-below';
  // Whoever blocks a domain blocks the names below it. With subdomains, such a move would never end.
  if (prefixOf({ from, subdomains: true }, to.name) !== undefined) return 'below-source';
  if (hosts.isListed(denied, to.name) || (subdomains && denied.below.has(to.name))) return 'denied-host';
  return typeof mirrorAddress(`http://${to.written}/`, denied) === 'string' ? undefined : 'impossible-host';
}

/** The part of the name before the old host, such as `x.` or nothing. Undefined: the name does not move. */
function prefixOf({ from, subdomains }: Omit<HostMove, 'to'>, name: hosts.HostName): string | undefined {
  if (from.includes(name)) return '';
  // If several old hosts match, the longest one moves.
  const above = subdomains ? from.filter((one) => name.endsWith(`.${one}`)).map(({ length }) => length) : [];
  return above.length > 0 ? name.slice(0, -Math.max(...above)) : undefined;
}

/** Whether the URL is on one of the hosts or, with `subdomains`, on a name below one. */
export function isOnHost(url: string, from: readonly hosts.HostName[], subdomains: boolean): boolean {
  const name = hosts.hostNameOf(url);
  return name !== undefined && prefixOf({ from, subdomains }, name) !== undefined;
}

/** Whether a key with this list of hosts may set mirrors on an old host, but not on the new host. */
export function isLimitedToOldHosts(move: HostMove, entries: readonly string[]): boolean {
  const list = hosts.namedHosts(entries);
  if (hosts.isListed(list, move.to.name)) return false;
  const names = [...list.exact, ...(move.subdomains ? list.below : [])];
  return names.some((name) => prefixOf(move, name) !== undefined);
}

/** The scheme and the host, up to the port, path, query, fragment or end. */
const schemeAndHost = /^(https?:\/\/)(\[[^\]]*\]|[^/?#:@\\[\]]+)(?=(?::[0-9]*)?(?:[/?#]|$))/i;

/** The address on the new host, not yet checked; undefined: not on an old host; empty: the host cannot be separated. */
export function movedAddress(move: HostMove, address: string): string | undefined {
  const name = hosts.hostNameOf(address);
  const prefix = name && prefixOf(move, name);
  if (prefix === undefined) return undefined;

  const [start = '', scheme, written = ''] = schemeAndHost.exec(address) ?? [];
  // ASCII names keep their spelling; others get the form of the URL parser.
  const kept = hosts.comparable(written) === name ? written.slice(0, prefix.length) : prefix;
  const moved = `${scheme}${kept}${move.to.written}${address.slice(start.length)}`;
  return start !== '' && hosts.hostNameOf(moved) === `${prefix}${move.to.name}` ? moved : '';
}

/** Whether the URL names one of the hosts, or a name below one, after its own host: `?u=https%3A%2F%2Fold.example`. */
export function namesHostElsewhere(url: string, wanted: readonly hosts.HostName[]): boolean {
  const rest = decoded(url.replace(/^https?:\/\/[^/?#]*/i, '')).replace(/%[\da-f]{2}/gi, ' ');
  // Parsing each word takes long. Only an international name can be spelled in other letters.
  if (!wanted.some((one) => one.includes('xn--') || rest.toLowerCase().includes(one))) return false;
  const words = rest.match(/[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu) ?? [];
  return words.some((word) => isOnHost(`http://${word}/`, wanted, true));
}

/** Decodes all levels of percent-encoding; bytes that are not UTF-8 stay. */
function decoded(text: string): string {
  const once = text.replace(/%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f])+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
  return once === text ? text : decoded(once);
}
