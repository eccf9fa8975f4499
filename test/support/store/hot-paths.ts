import { defaultPoolLimits, type HotPathObserver } from '@campaign-mirror/adapters-persistence';
import type { Pool } from 'pg';
import * as opening from '../../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import * as sql from '../../../packages/adapters-persistence/src/statements/statements.ts';

export function hotPathOn(statements: sql.Statements, observer?: HotPathObserver): opening.HotPath {
  const { size, waitTimeout } = defaultPoolLimits;
  const limits = { maxLocked: opening.maxLockedOf(size), timeout: waitTimeout };
  return opening.groupCommit(statements, limits, observer);
}

/** Statements that come to what `instead` makes of them: of the `nth`, from 1, which `run` runs, as it is or altered. */
export function statementsBy(
  pool: Pool,
  instead: (
    run: (altered?: sql.Statement) => Promise<sql.TextRow[]>,
    statement: sql.Statement,
    nth: number,
  ) => Promise<readonly sql.TextRow[]>,
): sql.Statements {
  let nth = 0;
  class Staged extends sql.Statements {
    override run<Row extends sql.TextRow>(
      statement: sql.Statement,
      values: readonly sql.Value[],
    ): Promise<Row[]> {
      nth += 1;
      const run = (altered = statement) => super.run(altered, values);
      return instead(run, statement, nth) as Promise<Row[]>;
    }
  }
  return new Staged(pool);
}
