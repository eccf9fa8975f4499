import * as values from '../values/mirror-address.ts';

/** From which host to which mirrors are moved. */
export interface HostMove {
  readonly from: values.HostName;
  /** Written into addresses as the user spelled it. */
  readonly to: values.Host;
  /** Names below the old host move too: `x.old.example` becomes `x.new.example`. */
  readonly subdomains: boolean;
}

/** Why a move is invalid, in the order of the checks. */
export type HostMoveFault =
  /** An IP address has no names below it. */
  | 'no-names-below'
  /** A moved address would match again, so the move would never end. */
  | 'matches-itself'
  | 'denied-host';

/** Checks a move before any mirror is read: returns the move, or why it is invalid. */
export function hostMove(
  from: values.Host,
  to: values.Host,
  subdomains: boolean,
  denied: values.HostList,
): HostMove | { fault: HostMoveFault } {
  if (subdomains && (values.isIpAddress(from.name) || values.isIpAddress(to.name)))
    return { fault: 'no-names-below' };
  const move = { from: from.name, to, subdomains };
  if (namesBefore(move, to.name) !== undefined) return { fault: 'matches-itself' };
  return values.isListed(denied, to.name) ? { fault: 'denied-host' } : move;
}

/** What stands before the name that moves: nothing, or names such as `x.`. Undefined if the host does not move. */
function namesBefore({ from, subdomains }: HostMove, name: values.HostName): string | undefined {
  if (name === from) return '';
  return subdomains && name.endsWith(`.${from}`) ? name.slice(0, -from.length) : undefined;
}

/** The scheme and the slashes, then the host, up to the port, path, query, fragment or end. */
const schemeAndHost = /^(https?:\/\/)(\[[^\]]*\]|[^/?#:@\\[\]]+)(?=(?::[0-9]*)?(?:[/?#]|$))/i;

/** Of an address that is refused, `to` is undefined if the host cannot be separated from the rest. */
type Relocation =
  | { readonly to: values.MirrorAddress }
  | { readonly fault: values.AddressFault; readonly to: string | undefined };

/** The address on the new host, of which only the host changes, checked like every address. Undefined on another host. */
export function movedAddress(
  move: HostMove,
  address: values.MirrorAddress,
  denied: values.HostList,
): Relocation | undefined {
  const name = values.hostNameOf(address);
  const before = name && namesBefore(move, name);
  if (before === undefined) return undefined;

  const [start, scheme, written] = schemeAndHost.exec(address) ?? [];
  if (scheme === undefined || written === undefined) return { fault: 'not-a-url', to: undefined };
  // Names in plain ASCII keep their spelling; others take the form of the URL parser.
  const kept = values.comparable(written) === name ? written.slice(0, before.length) : before;
  const to = `${scheme}${kept}${move.to.written}${address.slice(start?.length)}`;
  const moved = values.mirrorAddress(to, denied);
  if (typeof moved !== 'string') return { fault: moved.fault, to };
  if (values.hostNameOf(moved) !== `${before}${move.to.name}`) return { fault: 'not-a-url', to };
  return { to: moved };
}

/** Whether the URL is on this host or, with `subdomains`, on a name below it. */
export function isOnHost(url: string, wanted: values.HostName, subdomains: boolean): boolean {
  const name = values.hostNameOf(url);
  return name === wanted || (subdomains && name?.endsWith(`.${wanted}`) === true);
}

/** All before the path, query or fragment. */
const start = /^https?:\/\/[^/?#]*/i;

/** Whether a part of the URL after its host names this host or one below it, as `?next=https%3A%2F%2Fold.example`, however encoded. */
export function namesHostElsewhere(url: string, wanted: values.HostName): boolean {
  const rest = decoded(url.replace(start, '')).toLowerCase();
  for (let at = rest.indexOf(wanted); at !== -1; at = rest.indexOf(wanted, at + 1)) {
    const before = rest.slice(0, at);
    const begins = !/[\p{L}\p{N}_-]$/u.test(before) || /%[\da-f]{2}$/.test(before);
    if (begins && !/^\.?[\p{L}\p{N}_-]/u.test(rest.slice(at + wanted.length))) return true;
  }
  // An international name can be there in its own letters.
  const names = wanted.includes('xn--') ? rest.match(/[\p{L}\p{M}\p{N}_.-]+/gu) : null;
  return names?.some((name) => isOnHost(`http://${name}/`, wanted, true)) ?? false;
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
