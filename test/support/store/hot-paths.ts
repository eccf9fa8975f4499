import { type HotPathObserver, type OpenHotPath, openHotPath } from '@campaign-mirror/adapters-persistence';
import type { Pool } from 'pg';
import type { TextRow } from '../../../packages/adapters-persistence/src/connection/rows.ts';
import {
  type Statement,
  StatementRunner,
} from '../../../packages/adapters-persistence/src/hot-path/run-statements.ts';
import { patient } from '../database/patient.ts';

/** The hot path of the service. */
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

/** Runs `instead` of each statement. `nth` is its number, from 1; `run` runs it. */
export function statementsBy(
  pool: Pool,
  instead: (run: () => Promise<TextRow[]>, statement: Statement, nth: number) => Promise<TextRow[]>,
): StatementRunner {
  let nth = 0;
  const statements = new StatementRunner(pool);
  const run: StatementRunner['run'] = statements.run.bind(statements);
  statements.run = (statement, values) => instead(() => run(statement, values), statement, ++nth);
  return statements;
}
