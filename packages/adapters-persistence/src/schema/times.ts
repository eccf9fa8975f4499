import type { Timestamp } from '@campaign-mirror/domain';

/** The format of every time that leaves the database, whatever the session's time zone and date style. */
export function timestampText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * Converts what PostgreSQL's `extract(epoch …)` gives (section 9.9.1) to a timestamp: seconds since 1970, with six
 * fractional digits whatever the session's time zone and `DateStyle`; faster than `to_char`. A time outside the contract's
 * form, such as infinity, becomes the first or the last moment of the years 1 to 9999.
 */
export function timestampAt(seconds: string): Timestamp {
  const [whole = '', fraction = ''] = seconds.split('.');
  // The fraction counts forward from the preceding second, also before 1970.
  const isBefore = seconds.startsWith('-') && fraction !== '000000';
  const digits = isBefore ? String(1_000_000 - Number(fraction)).padStart(6, '0') : fraction;
  const moment = new Date((Number(whole) - Number(isBefore)) * 1_000);
  const year = moment.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return seconds.startsWith('-') ? firstMoment : lastMoment;
  return `${moment.toISOString().slice(0, 19)}.${digits}Z` as Timestamp;
}

const firstMoment = '0001-01-01T00:00:00.000000Z' as Timestamp;
const lastMoment = '9999-12-31T23:59:59.999999Z' as Timestamp;

/** `2026-11-20T15:36:00.123456Z` for microseconds since 1970. */
export const timestampOf = (microseconds: bigint) =>
  timestampAt(`${microseconds / 1_000_000n}.${String(microseconds % 1_000_000n).padStart(6, '0')}`);
