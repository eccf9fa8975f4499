import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import type { Log } from '../logging/log.ts';
import { briefly } from './brief-connection.ts';
import { poolBudget } from './pool-budget.ts';

/**
 * Warns at startup that the service may not get all its configured connections. It starts anyway: behind a pooler, the
 * server's limit is not the one that counts.
 */
export async function warnOfPool(address: DatabaseAddress, size: number, log: Log): Promise<void> {
  try {
    const { says, problem, warning } = await briefly(address, (client) => poolBudget(client, size));
    const advice = problem ?? warning;
    if (advice !== undefined) log.warn({ event: 'pool-too-large' }, `${says}: ${advice}`);
  } catch (error) {
    // It answered a moment ago. A failed check does not prevent the start.
    log.debug({ event: 'pool-unknown', err: error }, 'the limits of the database could not be asked for');
  }
}
