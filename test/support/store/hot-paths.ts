import { defaultPoolLimits, type HotPathObserver } from '@campaign-mirror/adapters-persistence';
import type { Pool } from 'pg';
import * as opening from '../../../packages/adapters-persistence/src/hot-path/open-hot-path.ts';
import {
  type Statement,
  Statements,
  type TextRow,
  type Value,
} from '../../../packages/adapters-persistence/src/statements/statements.ts';

export function hotPathOn(statements: Statements, observer?: HotPathObserver): opening.HotPath {
  const { size, waitTimeout } = defaultPoolLimits;
  const limits = { maxLocked: opening.maxLockedOf(size), timeout: waitTimeout };
  return opening.groupCommit(statements, limits, observer);
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
    override run<Row extends TextRow>(statement: Statement, values: readonly Value[]): Promise<Row[]> {
      nth += 1;
      const run = (altered = statement) => super.run(altered, values);
      return instead(run, statement, nth) as Promise<Row[]>;
    }
  }
  return new Staged(pool);
}
