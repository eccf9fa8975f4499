import type { EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import { counter, samplesOf } from './instruments.ts';
import type { Meters } from './meters.ts';
import { databaseEvents, serviceDefinitions } from './service-definitions.ts';

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
