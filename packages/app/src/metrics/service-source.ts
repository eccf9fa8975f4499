import type { DatabaseProbe } from '@campaign-mirror/adapters-persistence';
import type { EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import { checksInTime, type Health } from '../process/readiness.ts';
import { version } from '../process/version.ts';
import { plain, type Samples } from './definition.ts';
import { counter, samplesOf } from './instruments.ts';
import type { Meters } from './meters.ts';
import { databaseEvents, serviceDefinitions } from './service-definitions.ts';

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

const counted = new Set<string>(databaseEvents);

/** Counts what becomes of the embedded database. */
export function databaseEventCounts(meters: Meters): (event: EmbeddedEvent) => void {
  const events = counter(serviceDefinitions, 'campaign_mirror_embedded_database_events_total');
  for (const event of databaseEvents) events.inc({ event }, 0);
  meters.add(() => samplesOf([events]));
  return (event) => {
    if (counted.has(event)) events.inc({ event });
  };
}
