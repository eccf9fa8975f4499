import * as hosts from '../values/hosts.ts';
import * as values from '../values/mirror-address.ts';

/** From which host to which mirrors are moved. */
export interface HostMove {
  readonly from: hosts.HostName;
  /** Written into addresses as the user spelled it. */
  readonly to: hosts.Host;
  /** Names below the old host move too: `x.old.example` becomes `x.new.example`. */
  readonly subdomains: boolean;
}

/** Why a move is invalid. */
export type HostMoveFault = 'no-names-below' | 'matches-itself' | 'denied-host';

/** Checks a move before any mirror is read. Undefined if it is valid. */
export function hostMoveFault(move: HostMove, denied: hosts.HostList): HostMoveFault | undefined {
  const { from, to, subdomains } = move;
  // An IP address has no names below it.
  if (subdomains && (hosts.isIpAddress(from) || hosts.isIpAddress(to.name))) return 'no-names-below';
  // A moved address would match again, so the move would never end.
  if (namesBefore(move, to.name) !== undefined) return 'matches-itself';
  return hosts.isListed(denied, to.name) ? 'denied-host' : undefined;
}

/** What stands before the name that moves: nothing, or names such as `x.`. Undefined if the host does not move. */
function namesBefore({ from, subdomains }: HostMove, name: hosts.HostName): string | undefined {
  if (name === from) return '';
  return subdomains && name.endsWith(`.${from}`) ? name.slice(0, -from.length) : undefined;
}

/** The scheme and the slashes, then the host, up to the port, path, query, fragment or end. */
const schemeAndHost = /^(https?:\/\/)(\[[^\]]*\]|[^/?#:@\\[\]]+)(?=(?::[0-9]*)?(?:[/?#]|$))/i;

/**
 * The address on the new host, of which only the host changes, checked like every address. Undefined on another host.
 * With a fault, `to` is undefined if the host cannot be separated from the rest.
 */
export function movedAddress(move: HostMove, address: values.MirrorAddress, denied: hosts.HostList) {
  const name = hosts.hostNameOf(address);
  const before = name && namesBefore(move, name);
  if (before === undefined) return undefined;

  const found = schemeAndHost.exec(address);
  if (!found) return { fault: 'not-a-url' as const, to: undefined };
  const [start, scheme, written = ''] = found;
  // Names in plain ASCII keep their spelling; others take the form of the URL parser.
  const kept = hosts.comparable(written) === name ? written.slice(0, before.length) : before;
  const to = `${scheme}${kept}${move.to.written}${address.slice(start.length)}`;
  const moved = values.mirrorAddress(to, denied);
  if (typeof moved !== 'string') return { fault: moved.fault, to };
  if (hosts.hostNameOf(moved) !== `${before}${move.to.name}`) return { fault: 'not-a-url' as const, to };
  return { to: moved };
}
