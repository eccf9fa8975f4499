import { type Host, type HostName, isIpAddress } from '../values/host.ts';
import { type HostDenylist, isDenied } from '../values/host-denylist.ts';

/** From which host mirrors move to which one, and whether every name below it moves along. */
export interface HostMove {
  readonly from: HostName;
  /** Written into addresses just as it was given. */
  readonly to: Host;
  /** `x.old.example` becomes `x.new.example`, too. */
  readonly subdomains: boolean;
}

/** Why there can be no such move, in the order in which it is judged. */
export type HostMoveFault =
  /** An IP address has no names below it. */
  | 'no-names-below'
  /** What has moved would match again: the move could never be done. */
  | 'matches-itself'
  | 'denied-host';

/** Judges a move before any mirror is looked at: the move, or what is wrong with it. */
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

/** What stands before the name that moves: nothing, or names such as `x.`. Undefined for a host that stays. */
export function namesBefore({ from, subdomains }: HostMove, name: HostName): string | undefined {
  if (name === from) return '';
  return subdomains && name.endsWith(`.${from}`) ? name.slice(0, -from.length) : undefined;
}
