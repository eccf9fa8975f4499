import type { Timestamp } from '@campaign-mirror/domain';

/** Stands for an infinite time, for which ISO 8601 has no form. */
const first = '0001-01-01T00:00:00.000000Z' as Timestamp;
const last = '9999-12-31T23:59:59.999999Z' as Timestamp;

/**
 * Converts what PostgreSQL's `extract(epoch …)` gives (section 9.9.1) to a timestamp: seconds since 1970, with six
 * fractional digits whatever the session's time zone and `DateStyle`; faster than `to_char`. An infinite time becomes the
 * first or the last moment of the years 1 to 9999.
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
  const at = new Date(whole * 1_000);
  if (Number.isNaN(at.getTime())) return seconds.startsWith('-') ? first : last;
  // Faster than `toISOString`; it runs for each answer.
  const year = String(at.getUTCFullYear()).padStart(4, '0');
  const date = `${year}-${two(at.getUTCMonth() + 1)}-${two(at.getUTCDate())}`;
  const time = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())}`;
  return `${date}T${time}.${fraction}Z` as Timestamp;
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

function two(number: number): string | undefined {
  return twoDigits[number];
}
