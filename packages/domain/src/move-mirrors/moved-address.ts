import { comparable, hostNameOf } from '../values/host.ts';
import type { HostDenylist } from '../values/host-denylist.ts';
import { type AddressFault, type MirrorAddress, mirrorAddress } from '../values/mirror-address.ts';
import { type HostMove, namesBefore } from './host-move.ts';

/** The scheme and the slashes, then the host: up to the port, path, query, fragment or end. */
const place = /^(https?:\/\/)(\[[^\]]*\]|[^/?#:@\\[\]]+)(?=(?::[0-9]*)?(?:[/?#]|$))/i;

/** The result of moving one address. */
type Relocation =
  | { readonly to: MirrorAddress }
  /** `to` is the address it would have had; undefined if the host cannot be separated from the rest. */
  | { readonly fault: AddressFault; readonly to: string | undefined };

/**
 * The address on the new host. Only the characters of the host change, and the result is checked like every address.
 * Undefined for an address on another host, which does not change.
 */
export function movedAddress(
  move: HostMove,
  address: MirrorAddress,
  denied: HostDenylist,
): Relocation | undefined {
  const name = hostNameOf(address);
  const before = name && namesBefore(move, name);
  if (before === undefined) return undefined;

  const [found, scheme, written] = place.exec(address) ?? [];
  if (scheme === undefined || written === undefined) return { fault: 'not-a-url', to: undefined };
  // Names written in plain ASCII are kept as written; others take the parser's form.
  const kept = comparable(written) === name ? written.slice(0, before.length) : before;
  const to = `${scheme}${kept}${move.to.written}${address.slice(found?.length)}`;
  const judged = mirrorAddress(to, denied);
  if (typeof judged !== 'string') return { fault: judged.fault, to };
  if (hostNameOf(judged) !== `${before}${move.to.name}`) return { fault: 'not-a-url', to };
  return { to: judged };
}
