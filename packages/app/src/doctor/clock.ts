import type { Pool } from 'pg';
import { type Finding, ok, warning } from './findings.ts';

/** In milliseconds: with a larger difference, the log and the history are hard to compare. */
const tolerated = 2_000;

/** The machine's clock compared with the server's, which decides when keys expire and dates the history. */
export async function checkClock(pool: Pool, now: () => number = Date.now): Promise<Finding> {
  const asked = now();
  const text = 'select extract(epoch from clock_timestamp())::float8 * 1000 as time';
  const { rows } = await pool.query<{ time: number }>(text);
  const answered = now();
  const apart = (rows[0]?.time ?? Number.NaN) - (asked + answered) / 2;
  const says = `the clocks of this machine and of the server are ${(Math.abs(apart) / 1000).toFixed(1)} s apart`;
  if (Math.abs(apart) <= tolerated + (answered - asked) / 2) return ok('clock', says);
  return warning('clock', says, "set both by NTP: keys expire by the server's, the log tells this machine's");
}
