import type { Rate, TrustedProxies } from '@campaign-mirror/adapters-http';
import { type HostDenylist, hostDenylist } from '@campaign-mirror/domain';
import * as v from 'valibot';
import { type RedisAddress, redisAddress } from './redis-url.ts';
import { trustedProxies } from './trusted-proxies.ts';

const mostWorkers = 256;
const workersAccepted = `auto, or a whole number from 1 to ${mostWorkers}`;

/** The type of a setting: how its text is parsed, and how the accepted values are described. */
export interface SettingType<Value> {
  /** For tables: `whole number`. */
  readonly type: string;
  /** For tables: `0 to 65535`; empty where the type is sufficient. */
  readonly range: string;
  /** Its message completes "NAME must be …". */
  readonly schema: v.GenericSchema<string, Value>;
}

export function wholeNumber(from: number, to: number): SettingType<number> {
  const accepted = `a whole number from ${from} to ${to}`;
  return {
    type: 'whole number',
    range: `${from} to ${to}`,
    schema: v.pipe(
      v.string(),
      v.regex(/^[0-9]{1,9}$/, accepted),
      v.transform(Number),
      v.minValue(from, accepted),
      v.maxValue(to, accepted),
    ),
  };
}

/** The number of processes that serve, as written: `auto` becomes a number when cores and connections are known. */
export const workers: SettingType<number | 'auto'> = {
  type: 'whole number or auto',
  range: `1 to ${mostWorkers}, auto`,
  schema: v.pipe(
    v.string(),
    v.regex(/^(?:auto|[0-9]{1,9})$/, workersAccepted),
    v.transform((text) => (text === 'auto' ? text : Number(text))),
    v.check((count) => count === 'auto' || (count >= 1 && count <= mostWorkers), workersAccepted),
  ),
};

const unitMilliseconds = { ms: 1, s: 1_000, m: 60_000 } as const;

/** Milliseconds. */
export function time(from: string, to: string): SettingType<number> {
  const accepted = `a time such as 500ms, 10s or 2m, from ${from} to ${to}`;
  return {
    type: 'time',
    range: `${from} to ${to}`,
    schema: v.pipe(
      v.string(),
      v.regex(/^[0-9]{1,9}(?:ms|s|m)$/, accepted),
      v.transform(milliseconds),
      v.minValue(milliseconds(from), accepted),
      v.maxValue(milliseconds(to), accepted),
    ),
  };
}

function milliseconds(text: string): number {
  const unit = text.replace(/^[0-9]+/, '') as keyof typeof unitMilliseconds;
  return Number.parseInt(text, 10) * unitMilliseconds[unit];
}

const rateAccepted = 'off, or a number per period, such as 600/1m: 1 to 1000000 per 1s to 24h';
const unitSeconds = { s: 1, m: 60, h: 3_600 } as const;
const longestWindow = 24 * unitSeconds.h;

/** A number of times per period; undefined for `off`. */
export const rate: SettingType<Rate | undefined> = {
  type: 'rate or off',
  range: 'such as 600/1m',
  schema: v.pipe(
    v.string(),
    v.regex(/^(?:off|[1-9][0-9]{0,6}\/[1-9][0-9]{0,4}[smh])$/, rateAccepted),
    v.transform(rateOf),
    v.check((one) => !one || (one.limit <= 1_000_000 && one.seconds <= longestWindow), rateAccepted),
  ),
};

function rateOf(text: string): Rate | undefined {
  const [, limit, length, unit] = /^([0-9]+)\/([0-9]+)([smh])$/.exec(text) ?? [];
  if (limit === undefined) return undefined;
  return { limit: Number(limit), seconds: Number(length) * unitSeconds[unit as keyof typeof unitSeconds] };
}

export const redisUrl: SettingType<RedisAddress> = {
  type: 'URL',
  range: '',
  schema: v.pipe(
    v.string(),
    v.transform(redisAddress),
    v.check(
      (one) => one !== undefined,
      'an address such as redis://user:password@host:6379/0, or rediss:// with TLS',
    ),
    v.transform((one) => one as RedisAddress),
  ),
};

export function oneOf<const Choices extends readonly string[]>(
  ...choices: Choices
): SettingType<Choices[number]> {
  return {
    type: 'one of',
    range: choices.join(', '),
    schema: v.pipe(v.string(), v.picklist(choices, choices.join(' or '))),
  };
}

/** Unchanged, white space included. */
export const text: SettingType<string> = { type: 'text', range: '', schema: v.string() };

export const folder: SettingType<string> = {
  type: 'folder',
  range: '',
  schema: v.pipe(v.string(), v.nonEmpty('a folder')),
};

/** Where a listener listens: whether this machine has the address shows only then. */
export const address: SettingType<string> = {
  type: 'address',
  range: '',
  schema: v.pipe(v.string(), v.regex(/^[^\s\p{Cc}]+$/u, 'an IP address or a host name')),
};

export const hosts: SettingType<HostDenylist> = {
  type: 'hosts',
  range: '',
  schema: v.pipe(
    v.string(),
    v.transform((list) => hostDenylist(list.split(/[\s,]+/).filter(Boolean))),
    v.check(
      (list) => !('notAHost' in list),
      'host names such as go.example.com or *.example.com, with commas between them',
    ),
    v.transform((list) => list as HostDenylist),
  ),
};

export const origins: SettingType<readonly string[]> = {
  type: 'origins',
  range: '',
  schema: v.pipe(
    v.string(),
    v.transform((list) => list.split(/[\s,]+/).filter(Boolean)),
    v.check(
      (list) => list.length > 0 && list.every(isOrigin),
      'origins as browsers write them, such as https://tools.example or http://localhost:8080, with commas between them',
    ),
  ),
};

/** Scheme, host and port as a browser sends them: in lower case, without a slash at the end or a default port. */
function isOrigin(text: string): boolean {
  // A URL may contain a star; as a pattern it would never match.
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const proxies: SettingType<TrustedProxies> = {
  type: 'addresses',
  range: '',
  schema: v.pipe(
    v.string(),
    v.transform((list) => trustedProxies(list.split(/[\s,]+/).filter(Boolean))),
    v.check(
      (list) => !('notAnAddress' in list),
      'IP addresses, or ranges such as 10.0.0.0/8 or fd00::/8, or loopback, with commas between them',
    ),
    v.transform((list) => list as TrustedProxies),
  ),
};
