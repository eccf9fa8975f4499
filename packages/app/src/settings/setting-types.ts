import type { Rate, TrustedProxies } from '@campaign-mirror/adapters-http';
import { type HostDenylist, hostDenylist } from '@campaign-mirror/domain';
import * as v from 'valibot';
import { databaseUrlParts } from './database-url.ts';
import { type RedisAddress, redisAddress } from './redis-url.ts';
import { trustedProxies } from './trusted-proxies.ts';

/** The type of a setting: how its text is parsed, and how the accepted values are described. */
export interface SettingType<Value> {
  /** For tables: `whole number`. */
  readonly type: string;
  /** For tables: `0 to 65535`; empty where the type is sufficient. */
  readonly range: string;
  /** Its message completes "NAME must be …". */
  readonly schema: v.GenericSchema<string, Value>;
}

/** `read` returns nothing for a text that is not accepted. */
export function parsed<Value>(
  type: string,
  range: string,
  accepted: string,
  read: (text: string) => Value | undefined,
): SettingType<Value> {
  const schema = v.pipe(
    v.string(),
    v.transform(read),
    v.check((value) => value !== undefined, accepted),
    v.transform((value) => value as Value),
  );
  return { type, range, schema };
}

export const matching = (type: string, accepted: string, pattern: RegExp): SettingType<string> => ({
  type,
  range: '',
  schema: v.pipe(v.string(), v.regex(pattern, accepted)),
});

export function wholeNumber(from: number, to: number): SettingType<number> {
  return parsed('whole number', `${from} to ${to}`, `a whole number from ${from} to ${to}`, (text) =>
    /^[0-9]{1,9}$/.test(text) ? within(from, Number(text), to) : undefined,
  );
}

const maxWorkers = 256;

/** The number of processes that serve, as written: `auto` becomes a number when cores and connections are known. */
export const workers = parsed<number | 'auto'>(
  'whole number or auto',
  `1 to ${maxWorkers}, auto`,
  `auto, or a whole number from 1 to ${maxWorkers}`,
  (text) => {
    if (text === 'auto') return text;
    return /^[0-9]{1,9}$/.test(text) ? within(1, Number(text), maxWorkers) : undefined;
  },
);

const unitMilliseconds = { ms: 1, s: 1_000, m: 60_000 } as const;

/** Milliseconds. */
export function time(from: string, to: string): SettingType<number> {
  const accepted = `a time such as 500ms, 10s or 2m, from ${from} to ${to}`;
  return parsed('time', `${from} to ${to}`, accepted, (text) =>
    within(milliseconds(from), milliseconds(text), milliseconds(to)),
  );
}

function milliseconds(text: string): number {
  const [, count, unit] = /^([0-9]{1,9})(ms|s|m)$/.exec(text) ?? [];
  return Number(count) * unitMilliseconds[unit as keyof typeof unitMilliseconds];
}

function within(from: number, value: number, to: number): number | undefined {
  return value >= from && value <= to ? value : undefined;
}

const unitSeconds = { s: 1, m: 60, h: 3_600 } as const;

/** A number of times per period; undefined for `off`. */
export const rate: SettingType<Rate | undefined> = {
  type: 'rate or off',
  range: 'such as 600/1m',
  schema: v.pipe(
    v.string(),
    v.transform(rateOf),
    v.check(
      (one) => one !== 'invalid',
      'off, or a number per period, such as 600/1m: 1 to 1000000 per 1s to 24h',
    ),
    v.transform((one) => (typeof one === 'object' ? one : undefined)),
  ),
};

function rateOf(text: string): Rate | 'off' | 'invalid' {
  if (text === 'off') return text;
  const [, number, length, unit] = /^([1-9][0-9]{0,6})\/([1-9][0-9]{0,4})([smh])$/.exec(text) ?? [];
  const limit = within(1, Number(number), 1_000_000);
  const seconds = within(
    1,
    Number(length) * unitSeconds[unit as keyof typeof unitSeconds],
    24 * unitSeconds.h,
  );
  return limit && seconds ? { limit, seconds } : 'invalid';
}

export function oneOf<const Choices extends readonly string[]>(
  ...choices: Choices
): SettingType<Choices[number]> {
  return {
    type: 'one of',
    range: choices.join(', '),
    schema: v.pipe(v.string(), v.picklist(choices, choices.join(' or '))),
  };
}

const unchecked = (type: string, range = ''): SettingType<string> => ({ type, range, schema: v.string() });

/** Unchanged, white space included. */
export const text = unchecked('text');

export const folder = unchecked('folder');

/** Where a listener listens: whether this machine has the address shows only then. */
export const address = matching('address', 'an IP address or a host name', /^[^\s\p{Cc}]+$/u);

/** Of a list with commas or white space between them. */
export const items = (list: string) => list.split(/[\s,]+/).filter(Boolean);

export const hosts = parsed<HostDenylist>(
  'hosts',
  '',
  'host names such as go.example.com or *.example.com, with commas between them',
  (list) => {
    const read = hostDenylist(items(list));
    return 'notAHost' in read ? undefined : read;
  },
);

export const proxies = parsed<TrustedProxies>(
  'addresses',
  '',
  'IP addresses, or ranges such as 10.0.0.0/8 or fd00::/8, or loopback, with commas between them',
  (list) => {
    const read = trustedProxies(items(list));
    return 'notAnAddress' in read ? undefined : read;
  },
);

export const origins = parsed<readonly string[]>(
  'origins',
  '',
  'origins as browsers write them, such as https://tools.example or http://localhost:8080, with commas between them',
  (list) => (items(list).length > 0 && items(list).every(isOrigin) ? items(list) : undefined),
);

/** Scheme, host and port as a browser sends them: in lower case, without a slash at the end or a default port. */
function isOrigin(text: string): boolean {
  // A URL may contain a star; as a pattern it would never match.
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const redisUrl = parsed<RedisAddress>(
  'URL',
  '',
  'an address such as redis://user:password@host:6379/0, or rediss:// with TLS',
  redisAddress,
);

export const databaseUrl = parsed(
  'URL',
  '',
  'a URL such as postgres://user:password@host:5432/database, with one host, and what is special in it percent-encoded',
  (url) => (databaseUrlParts(url) ? url : undefined),
);

/** Only one: the driver tries no second. */
export const databaseHost = matching(
  'address',
  'one host name, IP address, or the folder of a socket',
  /^(?:\/[^\p{Cc},]*|[^\s\p{Cc},/]+)$/u,
);

/** Checked where your own database is used: a value meant for other programs must not stop the embedded one. */
export const sslMode = unchecked('one of', 'disable, require, verify-ca, verify-full');

export const caFile = unchecked('file');
