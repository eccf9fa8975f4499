import {
  defaultPoolLimits,
  type HotPathObserver,
  type OpenHotPath,
} from '@campaign-mirror/adapters-persistence';
import type { Pool } from 'pg';
import type { TextRow } from '../../../packages/adapters-persistence/src/connection/rows.ts';
import { type Statement, Statements } from '../../../packages/adapters-persistence/src/hot-path/batches.ts';
import { KeyUses } from '../../../packages/adapters-persistence/src/hot-path/key-uses.ts';
import { hotPathOn, maxLockedOf } from '../../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';

/** As the service has it, except that only `uses.write` and `uses.stop` write uses of keys. */
export function hotPathBy(
  pool: Pool,
  {
    statements = new Statements(pool),
    observer = {} as HotPathObserver,
    uses = new KeyUses(pool, { gatherFor: 2 ** 30 }),
    maxLocked = maxLockedOf(defaultPoolLimits.size),
    timeout = defaultPoolLimits.waitTimeout,
  } = {},
): OpenHotPath {
  return hotPathOn(statements, uses, { maxLocked, timeout }, observer);
}

/** Statements that come to what `instead` makes of them: of the `nth`, from 1, which `run` runs. */
export function statementsBy(
  pool: Pool,
  instead: (run: () => Promise<TextRow[]>, statement: Statement, nth: number) => Promise<readonly TextRow[]>,
): Statements {
  let nth = 0;
  class Staged extends Statements {
    override run<Row extends TextRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      nth += 1;
      return instead(() => super.run(statement, values), statement, nth) as Promise<Row[]>;
    }
  }
  return new Staged(pool);
}
