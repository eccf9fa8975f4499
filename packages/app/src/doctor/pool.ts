import type { Pool } from 'pg';
import { poolBudget } from '../database/pool-budget.ts';
import { type Finding, ok, problem, warning } from './findings.ts';

/** Whether the service's connections fit into the limits of the server, the database and the user. */
export async function checkPool(pool: Pool, size: number): Promise<Finding> {
  const budget = await poolBudget(pool, size);
  if (budget.problem !== undefined) return problem('pool', budget.says, budget.problem);
  if (budget.warning !== undefined) return warning('pool', budget.says, budget.warning);
  return ok('pool', budget.says);
}
