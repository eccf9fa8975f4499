import type { How, Operator, Terms } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import type { Database } from '@campaign-mirror/adapters-persistence';
import type { OpenPool } from '@campaign-mirror/adapters-persistence/sql';
import { acting, actingByOrm } from './acting.ts';
import type { Acting } from './command-database.ts';

/** The ports of a call's commands, on the configured database. */
export function operatorOf(call: Call): Operator {
  return {
    acting: (run, how = {}) => {
      const acts = async (given: Acting) => {
        const { operatorPorts } = await import('./operator-ports.ts');
        const ports = operatorPorts(given.database, given.act, call.interruption.signal);
        try {
          return await run(ports, await termsOf(given));
        } finally {
          await ports.uses.stop();
        }
      };
      return acting(call, endingClearly(how, acts), how.pace);
    },
    administering: (run, how = {}) => {
      const acts = async (given: Acting<Database>) => {
        const { administrationPorts } = await import('./operator-ports.ts');
        const ports = await administrationPorts(given.database, given.act, call.interruption.signal);
        return run(ports, await termsOf(given));
      };
      return actingByOrm(call, endingClearly(how, acts), how.pace);
    },
    accessKey: async () => {
      const { commandSettings } = await import('./command-settings.ts');
      return commandSettings(call).CAMPAIGN_MIRROR_KEY;
    },
  };
}

async function termsOf({ settings, act }: Acting): Promise<Terms> {
  const { undoneBy } = await import('./undone.ts');
  return { deniedHosts: settings.MIRROR_HOST_DENYLIST, requestId: act.requestId, undoneBy };
}

/** A command that only reads has no unknown outcome when the database becomes unavailable. */
function endingClearly<T, Opened extends OpenPool>(
  { left }: How,
  run: (given: Acting<Opened>) => Promise<T>,
): (given: Acting<Opened>) => Promise<T> {
  if (left === undefined) return run;
  return async (given) => {
    try {
      return await run(given);
    } catch (error) {
      const { orReadingEnded } = await import('./undone.ts');
      throw orReadingEnded(error, left);
    }
  };
}
