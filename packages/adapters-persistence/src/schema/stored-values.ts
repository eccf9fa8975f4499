import type { Timestamp } from '@campaign-mirror/domain';

/** The format of every time that leaves the database, whatever the session's time zone and date style. */
export function timestampText(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * The timestamp of PostgreSQL's `extract(epoch …)`: seconds since 1970, with six fractional digits; faster than
 * `to_char`. A time such as infinity becomes the first or the last moment of the years 1 to 9999.
 */
export function timestampAt(seconds: string): Timestamp {
  const point = seconds.indexOf('.');
  let whole = Number(seconds.slice(0, point));
  let fraction = seconds.slice(point + 1);
  // The fraction counts forward from the preceding second, also before 1970.
  if (seconds.startsWith('-') && fraction !== '000000') {
    whole -= 1;
    fraction = String(1_000_000 - Number(fraction)).padStart(6, '0');
  }
  const moment = new Date(whole * 1_000);
  // Twice as fast as `toISOString`; it runs for each answer.
  const year = moment.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return seconds.startsWith('-') ? firstMoment : lastMoment;
  const date = `${String(year).padStart(4, '0')}-${twoDigits[moment.getUTCMonth() + 1]}-${twoDigits[moment.getUTCDate()]}`;
  const hour = twoDigits[moment.getUTCHours()];
  const minute = twoDigits[moment.getUTCMinutes()];
  const second = twoDigits[moment.getUTCSeconds()];
  return `${date}T${hour}:${minute}:${second}.${fraction}Z` as Timestamp;
}

const firstMoment = '0001-01-01T00:00:00.000000Z' as Timestamp;
const lastMoment = '9999-12-31T23:59:59.999999Z' as Timestamp;

/** The numbers below 60 with two digits. */
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
