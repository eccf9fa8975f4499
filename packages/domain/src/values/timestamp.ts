import type { Branded } from './branded.ts';

/** A UTC time with microseconds, `2026-11-20T15:36:00.123456Z` (ISO 8601), by the repository's clock. */
export type Timestamp = Branded<string, 'Timestamp'>;

const shape = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads a time in the interface's format, with six fractional digits and a `Z`, in the years 1 to 9999. Undefined if
 * it is malformed or not in the calendar, such as February 30 or a leap second.
 */
export function timestamp(text: string): Timestamp | undefined {
  const [, year = 0, month = 0, day = 0] = (shape.exec(text) ?? []).map(Number);
  if (year < 1 || day < 1 || day > daysOf(month, year)) return undefined;
  return text as Timestamp;
}

function daysOf(month: number, year: number): number {
  if (month === 2 && isLeapYear(year)) return 29;
  return daysOfMonths[month - 1] ?? 0;
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
