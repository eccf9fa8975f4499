import { defaultPoolLimits, type HotPathObserver } from '@campaign-mirror/adapters-persistence';
import { GroupCommit, heldAtMost } from '../../../packages/adapters-persistence/src/hot-path/group-commit.ts';
import type { HotPath } from '../../../packages/adapters-persistence/src/hot-path/hot-path.ts';
import type { Statements } from '../../../packages/adapters-persistence/src/statements/statements.ts';

/** As the service has it on a pool of these limits. */
export function hotPathOn(
  statements: Statements,
  { size, waitTimeout }: { size: number; waitTimeout: number } = defaultPoolLimits,
  observer?: HotPathObserver,
): HotPath {
  return new GroupCommit(statements, { maxHeld: heldAtMost(size), timeout: waitTimeout }, observer);
}
