import type { Timestamp } from '@campaign-mirror/domain';

/** The format of every time that leaves the database, whatever the session's time zone and date style. */
export function timestampText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * What PostgreSQL's `extract(epoch …)` gives (section 9.9.1): seconds since 1970, with six fractional digits whatever the
 * session's time zone and date style. A time outside the contract's form, such as infinity, becomes the first or the last
 * moment of the years 1 to 9999.
 */
export function timestampAt(seconds: string): Timestamp {
  const end = seconds.length - 3;
  let milliseconds = Math.round(Number(seconds.slice(0, end)) * 1_000);
  let microseconds = seconds.slice(end);
  // Before 1970, the digits count backward.
  if (seconds.startsWith('-') && microseconds !== '000') {
    milliseconds -= 1;
    microseconds = String(1_000 - Number(microseconds)).padStart(3, '0');
  }
  if (!(milliseconds >= first && milliseconds <= last))
    return (seconds.startsWith('-') ? firstMoment : lastMoment) as Timestamp;
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${microseconds}Z` as Timestamp;
}

const firstMoment = '0001-01-01T00:00:00.000000Z';
const lastMoment = '9999-12-31T23:59:59.999999Z';
const [first, last] = [Date.parse(firstMoment), Date.parse(lastMoment)];

/** `2026-11-20T15:36:00.123456Z` for microseconds since 1970. */
export const timestampOf = (microseconds: bigint) =>
  timestampAt(`${microseconds / 1_000_000n}.${String(microseconds % 1_000_000n).padStart(6, '0')}`);
