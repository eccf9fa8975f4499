import * as hosts from '../values/hosts.ts';
import { mirrorAddress } from '../values/mirror-address.ts';

/** From which hosts to which one mirrors are moved. */
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

/** Checks a move before any mirror is read. Undefined if it is valid. */
export function hostMoveFault(move: HostMove, denied: hosts.HostList): HostMoveFault | undefined {
  const { from, to, subdomains } = move;
  // An IP address has no names below it.
  if (subdomains && [...from, to.name].some(hosts.isIpAddress)) return 'no-names-below';
  // It is blocked or given up as well; and with names below it, the move would never end.
  if (namesBefore({ from, subdomains: true }, to.name) !== undefined) return 'below-source';
  if (hosts.isListed(denied, to.name) || (subdomains && denied.below.has(to.name))) return 'denied-host';
  return typeof mirrorAddress(`http://${to.written}/`, denied) === 'string' ? undefined : 'impossible-host';
}

/** What stands before the name that moves: nothing, or names such as `x.`. Undefined if the host does not move. */
function namesBefore({ from, subdomains }: Omit<HostMove, 'to'>, name: hosts.HostName): string | undefined {
  if (from.includes(name)) return '';
  // Of two names, one of which is below the other, the longer one moves.
  const above = subdomains ? from.filter((one) => name.endsWith(`.${one}`)).map(({ length }) => length) : [];
  return above.length > 0 ? name.slice(0, -Math.max(...above)) : undefined;
}

/** Whether the URL is on one of these hosts or, with `subdomains`, on a name below one. */
export function isOnHost(url: string, from: readonly hosts.HostName[], subdomains: boolean): boolean {
  const name = hosts.hostNameOf(url);
  return name !== undefined && namesBefore({ from, subdomains }, name) !== undefined;
}

/** The entries of a list of hosts with those that move on the new host, but for those that no key can be for. */
export function movedEntries(move: HostMove, entries: readonly string[]): string[] {
  const moved = entries.map((entry) => {
    const [, wildcard = '', name = ''] = /^(\*\.)?(.*)/.exec(entry) ?? [];
    const isMoving = { from: move.from, subdomains: move.subdomains || wildcard !== '' };
    const before = namesBefore(isMoving, (hosts.host(name)?.name ?? '') as hosts.HostName);
    return before === undefined ? entry : `${wildcard}${before}${move.to.name}`;
  });
  return hosts.entriesOf(hosts.namedHosts(moved));
}

/** Whether a key for these hosts may set mirrors that move, but not those that have moved. */
export function keepsToOldHost(move: HostMove, entries: readonly string[]): boolean {
  const list = hosts.namedHosts(entries);
  if (hosts.isListed(list, move.to.name)) return false;
  const names = [...list.exact, ...(move.subdomains ? list.below : [])];
  return names.some((name) => namesBefore(move, name) !== undefined);
}

/** The scheme and the slashes, then the host, up to the port, path, query, fragment or end. */
const schemeAndHost = /^(https?:\/\/)(\[[^\]]*\]|[^/?#:@\\[\]]+)(?=(?::[0-9]*)?(?:[/?#]|$))/i;

/**
 * The address on the new host, of which only the host changes; not checked yet. Undefined on another host; empty, which is
 * no address, if the host cannot be separated from the rest.
 */
export function movedAddress(move: HostMove, address: string): string | undefined {
  const name = hosts.hostNameOf(address);
  const before = name && namesBefore(move, name);
  if (before === undefined) return undefined;

  const [start = '', scheme, written = ''] = schemeAndHost.exec(address) ?? [];
  // Names in plain ASCII keep their spelling; others take the form of the URL parser.
  const kept = hosts.comparable(written) === name ? written.slice(0, before.length) : before;
  const moved = `${scheme}${kept}${move.to.written}${address.slice(start.length)}`;
  return start !== '' && hosts.hostNameOf(moved) === `${before}${move.to.name}` ? moved : '';
}

/** Whether a part of the URL after its host names one of these or one below, as `?u=https%3A%2F%2Fold.example` does. */
export function namesHostElsewhere(url: string, wanted: readonly hosts.HostName[]): boolean {
  const rest = decoded(url.replace(/^https?:\/\/[^/?#]*/i, '')).replace(/%[\da-f]{2}/gi, ' ');
  // An international name can be there in its own letters. To parse each word would take long.
  if (!wanted.some((one) => one.includes('xn--') || rest.toLowerCase().includes(one))) return false;
  const words = rest.match(/[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_.-]*/gu) ?? [];
  return words.some((word) => isOnHost(`http://${word}/`, wanted, true));
}

/** Without percent-encoding, except of what is not UTF-8. */
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
