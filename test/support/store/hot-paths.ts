import {
  defaultPoolLimits,
  GroupCommit,
  type HotPath,
  heldAtMost,
  type Statements,
} from '@campaign-mirror/adapters-persistence';

/** As the service has it on a pool of these limits. */
export function hotPathOn(
  statements: Statements,
  { size, waitTimeout }: { size: number; waitTimeout: number } = defaultPoolLimits,
): HotPath {
  return new GroupCommit(statements, { maxHeld: heldAtMost(size), timeout: waitTimeout });
}
