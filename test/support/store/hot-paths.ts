import { type HotPathObserver, type OpenHotPath, openHotPath } from '@campaign-mirror/adapters-persistence';
import type { Pool } from 'pg';
import type { TextRow } from '../../../packages/adapters-persistence/src/connection/rows.ts';
import {
  type Statement,
  StatementRunner,
} from '../../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { patient } from '../database/patient.ts';

/** As the service has it. */
export function hotPathBy(
  pool: Pool,
  {
    observer = {} as HotPathObserver,
    statements = new StatementRunner(pool, {}, observer),
    maxLocked = patient.size / 2,
    timeout = patient.waitTimeout,
  } = {},
): OpenHotPath {
  return openHotPath(pool, { statements, limits: { size: 2 * maxLocked, waitTimeout: timeout } });
}

/** StatementRunner that come to what `instead` makes of them: of the `nth`, from 1, which `run` runs. */
export function statementsBy(
  pool: Pool,
  instead: (run: () => Promise<TextRow[]>, statement: Statement, nth: number) => Promise<TextRow[]>,
): StatementRunner {
  let nth = 0;
  class Staged extends StatementRunner {
    override run(statement: Statement, values: readonly unknown[]): Promise<TextRow[]> {
      nth += 1;
      return instead(() => super.run(statement, values), statement, nth);
    }
  }
  return new Staged(pool);
}
