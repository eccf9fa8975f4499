import { type Rate, trustedProxies } from '@campaign-mirror/adapters-http';
import { type HostList, hostList } from '@campaign-mirror/domain';
import * as v from 'valibot';

/** The schema of a setting. Its `accepts` is shown in tables, and completes the message "NAME must be …". */
export type SettingType<Value> = v.GenericSchema<string, Value>;

/** Refuses a text if `read` throws or its value is not accepted. The message has no value, which may be a secret. */
function parsed<Value>(
  accepts: string,
  read: (text: string) => Value,
  isAccepted: (value: Value) => boolean = () => true,
): SettingType<Value> {
  return v.pipe(
    v.string(),
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      try {
        const value = read(dataset.value);
        if (isAccepted(value)) return value;
      } catch {}
      addIssue({ message: accepts });
      return NEVER;
    }),
    v.metadata({ accepts }),
  );
}

/** Without a pattern, any text is accepted, also white space. */
export const matching = (accepts: string, pattern = /^/) =>
  v.pipe(v.string(), v.regex(pattern, accepts), v.metadata({ accepts }));

export function oneOf<const Choices extends readonly string[]>(...choices: Choices) {
  const accepts = choices.join(' or ');
  return v.pipe(v.string(), v.picklist(choices, accepts), v.metadata({ accepts }));
}

const isWithin = (from: number, value: number, to: number) => value >= from && value <= to;

export const wholeNumber = (from: number, to: number) =>
  parsed(
    `a whole number from ${from} to ${to}`,
    (text) => (/^[0-9]+$/.test(text) ? Number(text) : Number.NaN),
    (value) => isWithin(from, value, to),
  );

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** NaN if the text is not a time. */
function milliseconds(text: string): number {
  const [, count, unit] = /^([0-9]+)(ms|s|m|h)$/.exec(text) ?? [];
  return Number(count) * units[unit as keyof typeof units];
}

/** A time in milliseconds. */
export const time = (from: string, to: string) =>
  parsed(`a time such as 500ms, 10s or 2m, from ${from} to ${to}`, milliseconds, (value) =>
    isWithin(milliseconds(from), value, milliseconds(to)),
  );

/** A number per period; undefined for `off`. */
export const rate = parsed<Rate | undefined>(
  'off, or a number per period, such as 600/1m: 1 to 1000000 per 1s to 24h',
  (text) => {
    const [, number, period = ''] = /^([0-9]+)\/([0-9]+[smh])$/.exec(text) ?? [];
    return text === 'off' ? undefined : { limit: Number(number), seconds: milliseconds(period) / units.s };
  },
  (read) => !read || (isWithin(1, read.limit, 1_000_000) && isWithin(1, read.seconds, 86_400)),
);

/** The items of a list with commas or white space between them. */
const items = (list: string) => list.split(/[\s,]+/).filter(Boolean);

const listOf = (accepts: string, isItem: (item: string) => boolean) =>
  parsed<readonly string[]>(accepts, items, (all) => all.length > 0 && all.every(isItem));

export const hosts = parsed(
  'host names such as go.example.com, *.example.com or *.tk, with commas between them',
  (list) => hostList(items(list), 'deny') as HostList,
  (read) => !('notAHost' in read),
);

export const names = listOf('host names such as mirrors.internal, with commas between them', (item) =>
  /^[\w-]+(?:\.[\w-]+)*$/.test(item),
);

export const proxies = parsed(
  'IP addresses, or ranges such as 10.0.0.0/8 or fd00::/8, or loopback, with commas between them',
  (list) => trustedProxies(items(list)),
);

/** The URL standard gives extensions no origin. A URL with a star is valid, but no browser sends it as an origin. */
export const origins = listOf(
  'origins as browsers write them, such as https://tools.example, http://localhost:8080 or ' +
    'chrome-extension://IDENTIFIER, with commas between them',
  (item) =>
    /^[a-z][a-z-]*-extension:\/\/[A-Za-z0-9-]+$/.test(item) ||
    (/^https?:[^*]+$/.test(item) && URL.parse(item)?.origin === item),
);

/** Refuses an @ after the host, a sign of a password that is not encoded, and a `%` that encodes nothing. */
export const databaseUrl = matching(
  'a URL such as postgres://user:password@host:5432/database, with one host, and special characters percent-encoded',
  /^postgres(?:ql)?:\/\/(?!.*%(?![\da-f]{2}))[^\s\p{Cc}/?#]*(?:[/?][^\s\p{Cc}@#]*)?$/iu,
);

/** https only: an attacker who answers in place of the issuer could make valid tokens. */
export const keySetUrl = parsed(
  'an https URL without a user, such as https://issuer.example/jwks.json; http on this machine only',
  (text) => (/[\s\p{Cc}@]/u.test(text) ? undefined : new URL(text)) as URL,
  ({ protocol, hostname }) =>
    protocol === 'https:' ||
    (protocol === 'http:' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)),
);
