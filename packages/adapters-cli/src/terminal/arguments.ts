import {
  accessKeyId,
  auditId,
  campaignId,
  historyId,
  host,
  label,
  leastPrunedAge,
  longestLabel,
  ownerId,
  timestamp,
} from '@campaign-mirror/domain';
import { InvalidArgumentError } from '@commander-js/extra-typings';

/** A parser of an argument; it throws `InvalidArgumentError`, which says what is accepted, where `read` finds nothing. */
function argument<Value>(accepted: string, read: (text: string) => Value | undefined) {
  return (text: string): Value => {
    const value = read(text);
    if (value === undefined) throw new InvalidArgumentError(`${accepted} is expected.`);
    return value;
  };
}

const number = 'A whole number from 1 to 9007199254740991';
export const campaignArgument = argument(number, campaignId);
export const ownerArgument = argument(number, ownerId);
export const keyArgument = argument(number, accessKeyId);
export const changeArgument = argument(number, historyId);
export const auditArgument = argument(number, auditId);
export const limitArgument = argument<number>(number, campaignId);

/** A lifetime in seconds. */
export const lifeArgument = argument('A time such as 1s, 30m, 12h or 90d, at most 36525d,', secondsOf);

/** A grace period in seconds, 0 or more. */
export const graceArgument = argument('A time such as 0s, 30m, 24h or 7d, at most 36525d,', (text) =>
  /^0[smhd]?$/.test(text) ? 0 : secondsOf(text),
);

/** An age in seconds, at least that of the youngest changes that can be pruned. */
export const ageArgument = argument('An age such as 400d or 48h, from 1d to 36525d,', (text) => {
  const age = secondsOf(text);
  return age && age >= leastPrunedAge ? age : undefined;
});

/** A UTC time: a day, or to the minute, second or microsecond. */
export const momentArgument = argument('A time in UTC such as 2026-11-20 or 2026-11-20T15:36:00Z', (text) => {
  const [, day, minute = '00:00', second = '00', fraction = ''] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?Z)?$/.exec(text) ?? [];
  return timestamp(`${day}T${minute}:${second}.${fraction.padEnd(6, '0')}Z`);
});

/** A display name: not empty, on one line, at most 200 characters. */
export const nameArgument = argument(`A name on one line, of 1 to ${longestLabel} characters,`, label);

export const hostArgument = argument(
  'A host such as old.example or [2001:db8::1], without a scheme, a port or a path,',
  host,
);

const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
/** A hundred years, in seconds. */
const longest = 36_525 * seconds.d;

function secondsOf(text: string): number | undefined {
  const [, count, unit] = /^([1-9][0-9]{0,9})([smhd])$/.exec(text) ?? [];
  const time = Number(count) * seconds[unit as keyof typeof seconds];
  return time <= longest ? time : undefined;
}
