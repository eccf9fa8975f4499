const significant = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const exact = new Intl.NumberFormat('en');

/** With three significant digits: a rate, a time. */
export const few = (value: number) => significant.format(value);

/** Exactly: a count. */
export const whole = (value: number) => exact.format(value);

/** A number beside its limit. */
export const outOf = (now: number, limit: number) =>
  Number.isFinite(limit) ? `${whole(now)} of ${whole(limit)}` : whole(now);

/** UTC, as the log has it. */
export const clock = (at: number) => `${new Date(at).toISOString().slice(11, 19)} UTC`;

/** A time in seconds, in words. */
export const timeOf = (seconds: number) =>
  seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.floor(seconds / 60)} minutes`;
