import type { EmbeddedEvent } from '@campaign-mirror/embedded-postgres';
import type { Meters } from './meters.ts';
import { databaseEvents } from './service-definitions.ts';
import { Tally } from './tally.ts';

const counted = new Set<string>(databaseEvents);

/** Counts what becomes of the embedded database. */
export function databaseEventCounts(meters: Meters): (event: EmbeddedEvent) => void {
  const events = new Tally('event', databaseEvents);
  meters.add(() => ({ campaign_mirror_embedded_database_events_total: events.samples() }));
  return (event) => {
    if (counted.has(event)) events.count(event);
  };
}
