import type { Branded } from './branded.ts';

/** A UTC time with microseconds, `2026-11-20T15:36:00.123456Z` (ISO 8601), by the repository's clock. */
export type Timestamp = Branded<string, 'Timestamp'>;

const shape = /^(?!0000)(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

/**
 * Reads a time in the interface's format, with six fractional digits and a `Z`, in the years 1 to 9999. Undefined if
 * it is malformed or not in the calendar, such as February 30 or a leap second.
 */
export function timestamp(text: string): Timestamp | undefined {
  const [, day = ''] = shape.exec(text) ?? [];
  // A day that a month does not have becomes one of the next month.
  const parsed = new Date(`${day}T00:00:00Z`);
  const isInCalendar = Number.isFinite(parsed.getTime()) && parsed.toISOString().startsWith(day);
  return isInCalendar ? (text as Timestamp) : undefined;
}
