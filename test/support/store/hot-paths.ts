import { defaultPoolLimits, type HotPathObserver } from '@campaign-mirror/adapters-persistence';
import type { HotPath } from '../../../packages/adapters-persistence/src/hot-path/hot-path.ts';
import {
  groupCommit,
  heldAtMost,
} from '../../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import type { Statements } from '../../../packages/adapters-persistence/src/statements/statements.ts';

/** As the service has it on a pool of these limits. */
export function hotPathOn(
  statements: Statements,
  { size, waitTimeout }: { size: number; waitTimeout: number } = defaultPoolLimits,
  observer?: HotPathObserver,
): HotPath {
  return groupCommit(statements, { maxHeld: heldAtMost(size), timeout: waitTimeout }, observer);
}
