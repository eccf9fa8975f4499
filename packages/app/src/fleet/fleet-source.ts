import { by, type Samples } from '../metrics/definition.ts';
import type { serviceDefinitions } from '../metrics/service-definitions.ts';
import type { Fleet } from './fleet.ts';

/** The present workers, and the number of replaced ones. */
export function fleetSource(fleet: Fleet) {
  return (): Samples<typeof serviceDefinitions> => {
    const { wanted, ready, silent, lost, relieved } = fleet;
    return {
      campaign_mirror_workers: by('state', { wanted, ready, silent: silent.length }),
      campaign_mirror_worker_replacements_total: by('why', { lost, relieved }),
    };
  };
}
