import { type Host, type HostName, isIpAddress } from '../values/host.ts';
import { type HostDenylist, isDenied } from '../values/host-denylist.ts';

/** The host to move from, the host to move to, and whether names below the old host move too. */
export interface HostMove {
  readonly from: HostName;
  /** Written into addresses exactly as given. */
  readonly to: Host;
  /** `x.old.example` becomes `x.new.example` too. */
  readonly subdomains: boolean;
}

/** Why a move is invalid, in the order of the checks. */
export type HostMoveFault =
  /** An IP address has no names below it. */
  | 'no-names-below'
  /** A moved address would match again, so the move would never end. */
  | 'matches-itself'
  | 'denied-host';

/** Checks a move before any mirror is read: returns the move, or what is wrong with it. */
export function hostMove(
  from: Host,
  to: Host,
  subdomains: boolean,
  denied: HostDenylist,
): HostMove | { fault: HostMoveFault } {
  if (subdomains && (isIpAddress(from.name) || isIpAddress(to.name))) return { fault: 'no-names-below' };
  const move = { from: from.name, to, subdomains };
  if (namesBefore(move, to.name) !== undefined) return { fault: 'matches-itself' };
  return isDenied(denied, to.name) ? { fault: 'denied-host' } : move;
}

/**
 * The prefix of the host before the name that moves: empty, or names such as `x.`. Undefined if the host does not move.
 */
export function namesBefore({ from, subdomains }: HostMove, name: HostName): string | undefined {
  if (name === from) return '';
  return subdomains && name.endsWith(`.${from}`) ? name.slice(0, -from.length) : undefined;
}
