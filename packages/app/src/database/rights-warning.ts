import { type DatabaseAddress, heldRights, rightsOf } from '@campaign-mirror/adapters-persistence/sql';
import type { Log } from '../logging/log.ts';
import { briefly } from './brief-connection.ts';
import { databaseUser } from './database-user.ts';
import { nameOf } from './start-faults.ts';

/** The maximum number of excess rights that are named. */
const mostNamed = 20;

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
      { event: 'rights-beyond-need', user: name, powers, ownsSchema, rights: beyond.slice(0, mostNamed) },
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
