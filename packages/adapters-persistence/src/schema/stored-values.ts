import { hash } from 'node:crypto';
import type { Timestamp } from '@campaign-mirror/domain';

/** The SHA-256 of a key, which alone is stored (contract: keys). 256 random bits need no salt. */
export const keyHash = (key: string): Buffer => hash('sha256', key, 'buffer');

/** A condition: the key expires within this interval, and was neither revoked nor replaced. */
export const isExpiringWithin = (interval: string) => `revoked_at is null and replaced_by is null
  and expires_at > now() and expires_at <= now() + ${interval}`;

/** A timestamp as text, independent of the session's time zone and date style. */
export const timestampText = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The timestamp of `extract(epoch …)`, which is faster than `to_char`; limited to the years 1 to 9999. */
export function timestampAt(seconds: string): Timestamp {
  const point = seconds.indexOf('.');
  let whole = Number(seconds.slice(0, point));
  let fraction = seconds.slice(point + 1);
  // Before 1970, too, the fraction counts from the previous second on.
  if (seconds.startsWith('-') && fraction !== '000000') {
    whole -= 1;
    fraction = String(1_000_000 - Number(fraction)).padStart(6, '0');
  }
  const moment = new Date(whole * 1_000);
  // Twice as fast as `toISOString`; it runs for each answer.
  const year = moment.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return seconds.startsWith('-') ? firstMoment : lastMoment;
  const month = twoDigits[moment.getUTCMonth() + 1];
  const day = twoDigits[moment.getUTCDate()];
  const hour = twoDigits[moment.getUTCHours()];
  const minute = twoDigits[moment.getUTCMinutes()];
  const second = twoDigits[moment.getUTCSeconds()];
  const date = `${String(year).padStart(4, '0')}-${month}-${day}`;
  return `${date}T${hour}:${minute}:${second}.${fraction}Z` as Timestamp;
}

const firstMoment = '0001-01-01T00:00:00.000000Z' as Timestamp;
const lastMoment = '9999-12-31T23:59:59.999999Z' as Timestamp;

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
