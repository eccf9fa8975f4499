import { comparable, hostNameOf } from '../values/host.ts';
import type { HostDenylist } from '../values/host-denylist.ts';
import { type AddressFault, type MirrorAddress, mirrorAddress } from '../values/mirror-address.ts';
import { type HostMove, namesBefore } from './host-move.ts';

/** The scheme and the slashes, then the host: up to a port, the path, the query, the fragment or the end. */
const place = /^(https?:\/\/)(\[[^\]]*\]|[^/?#:@\\[\]]+)(?=(?::[0-9]*)?(?:[/?#]|$))/i;

/** What an address on the host that moves comes to. */
export type Relocation =
  | { readonly to: MirrorAddress }
  /** `to` is what it would have been; undefined where the host cannot be told from the rest. */
  | { readonly fault: AddressFault; readonly to: string | undefined };

/**
 * The address on the new host: only the host's characters are others, and what is made of them is judged as every
 * address is. Undefined for an address elsewhere, which stays.
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
  // Names that were written plainly stay as they were written; others are as the parser has them.
  const kept = comparable(written) === name ? written.slice(0, before.length) : before;
  const to = `${scheme}${kept}${move.to.written}${address.slice(found?.length)}`;
  const judged = mirrorAddress(to, denied);
  if (typeof judged !== 'string') return { fault: judged.fault, to };
  if (hostNameOf(judged) !== `${before}${move.to.name}`) return { fault: 'not-a-url', to };
  return { to: judged };
}
