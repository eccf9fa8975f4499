import { type DatabaseAddress, heldRights, rightsOf } from '@campaign-mirror/adapters-persistence/sql';
import type { Log } from '../logging/log.ts';
import { briefly } from './database-start.ts';
import { databaseUser } from './database-user.ts';
import { poolBudget } from './pool-budget.ts';
import { nameOf } from './start-faults.ts';

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

/** The maximum number of excess rights that are named. */
const maxNamed = 20;

/**
 * Warns at startup that the service's user has more rights in the database than the service needs: anybody who takes
 * over the service has them, too. Owners and superusers may do everything, so their rights are not listed.
 */
export async function warnOfRights(address: DatabaseAddress, log: Log): Promise<void> {
  try {
    const { user, beyond } = await briefly(address, async (client) => {
      const user = await databaseUser(client);
      const mayAll = user.superuser || user.ownsSchema;
      return { user, beyond: mayAll ? [] : rightsOf('service', await heldRights(client)).beyond };
    });
    const { name, powers, ownsSchema } = user;
    if (powers.length === 0 && !ownsSchema && beyond.length === 0) return;
    log.warn(
      { event: 'rights-beyond-need', user: name, powers, ownsSchema, rights: beyond.slice(0, maxNamed) },
      `the user ${JSON.stringify(name)} of the database ${nameOf(address)} may do more than the service needs: ` +
        'start it with RUN_MIGRATIONS=false as campaign_mirror_service',
    );
  } catch (error) {
    // It answered a moment ago. A failed check does not prevent the start.
    log.debug(
      { event: 'rights-unknown', err: error },
      'the rights of the user of the database could not be asked for',
    );
  }
}
