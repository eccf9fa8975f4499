import type { DatabaseAddress } from '@campaign-mirror/adapters-persistence';
import type { Log } from '../logging/log.ts';
import { briefly } from './brief-connection.ts';
import { poolBudget } from './pool-budget.ts';

/**
 * Says at the start that the service may not get the connections that it is set to have. It starts all the same: with
 * a pooler between, the server's limit is not the one that counts.
 */
export async function warnOfPool(address: DatabaseAddress, size: number, log: Log): Promise<void> {
  try {
    const { says, problem, warning } = await briefly(address, (client) => poolBudget(client, size));
    const advice = problem ?? warning;
    if (advice !== undefined) log.warn({ event: 'pool-too-large' }, `${says}: ${advice}`);
  } catch (error) {
    // It answered a moment ago; who cannot be asked this may serve.
    log.debug({ event: 'pool-unknown', err: error }, 'the limits of the database could not be asked for');
  }
}
