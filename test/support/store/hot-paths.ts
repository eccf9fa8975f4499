import { defaultPoolLimits, type HotPathObserver } from '@campaign-mirror/adapters-persistence';
import type { Pool } from 'pg';
import type { TextRow } from '../../../packages/adapters-persistence/src/connection/rows.ts';
import { type Statement, Statements } from '../../../packages/adapters-persistence/src/hot-path/batches.ts';
import type { HotPath } from '../../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import {
  groupCommit,
  maxLockedOf,
} from '../../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';

/** As the service has it. */
export function hotPathOn(statements: Statements, observer?: HotPathObserver): HotPath {
  const { size, waitTimeout } = defaultPoolLimits;
  return groupCommit(statements, { maxLocked: maxLockedOf(size), timeout: waitTimeout }, observer);
}

/** Statements that come to what `instead` makes of them: of the `nth`, from 1, which `run` runs, as it is or altered. */
export function statementsBy(
  pool: Pool,
  instead: (
    run: (altered?: Statement) => Promise<TextRow[]>,
    statement: Statement,
    nth: number,
  ) => Promise<readonly TextRow[]>,
): Statements {
  let nth = 0;
  class Staged extends Statements {
    override run<Row extends TextRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
      nth += 1;
      const run = (altered = statement) => super.run(altered, values);
      return instead(run, statement, nth) as Promise<Row[]>;
    }
  }
  return new Staged(pool);
}
