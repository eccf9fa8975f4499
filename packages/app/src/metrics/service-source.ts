import type { DatabaseProbe } from '@campaign-mirror/adapters-persistence';
import { checksInTime } from '../process/checks-in-time.ts';
import type { Health } from '../process/readiness.ts';
import { version } from '../process/version.ts';
import { plain, type Samples } from './definition.ts';
import type { serviceDefinitions } from './service-definitions.ts';

/** What runs, and whether it can serve. */
export function serviceSource(
  { readiness }: Pick<Health, 'readiness'>,
  probe: Pick<DatabaseProbe, 'historyRows'>,
) {
  const { name: _, ...labels } = version();
  return async (): Promise<Samples<typeof serviceDefinitions>> => {
    const checks = await checksInTime(readiness());
    return {
      campaign_mirror_build_info: [{ labels, value: 1 }],
      campaign_mirror_ready: plain(Number(Object.values(checks).every(Boolean))),
      campaign_mirror_ready_check: Object.entries(checks).map(([check, passes]) => ({
        labels: { check },
        value: Number(passes),
      })),
      ...(probe.historyRows !== undefined && { campaign_mirror_history_rows: plain(probe.historyRows) }),
    };
  };
}
