import { type Rate, trustedProxies } from '@campaign-mirror/adapters-http';
import { type HostList, hostList } from '@campaign-mirror/domain';
import * as v from 'valibot';

/** The schema of a setting's text. What it `accepts` stands in tables, and completes the message "NAME must be …". */
export type SettingType<Value> = v.GenericSchema<string, Value>;

/** `read` throws on a text that is not accepted; what it throws is not shown, since it may contain a secret. */
function parsed<Value>(accepts: string, read: (text: string) => Value): SettingType<Value> {
  return v.pipe(
    v.string(),
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      try {
        return read(dataset.value);
      } catch {
        addIssue({ message: accepts });
        return NEVER;
      }
    }),
    v.metadata({ accepts }),
  );
}

function refuse(): never {
  throw new TypeError('not accepted');
}

export const matching = (accepts: string, pattern: RegExp) =>
  parsed(accepts, (text) => (pattern.test(text) ? text : refuse()));

/** The text unchanged, white space included. */
export const unchecked = (accepts: string) => parsed(accepts, (text) => text);

export function oneOf<const Choices extends readonly string[]>(...choices: Choices) {
  const accepts = choices.join(' or ');
  return v.pipe(v.string(), v.picklist(choices, accepts), v.metadata({ accepts }));
}

const inRange = (from: number, value: number, to: number) =>
  value >= from && value <= to ? value : refuse();

export const wholeNumber = (from: number, to: number) =>
  parsed(`a whole number from ${from} to ${to}`, (text) =>
    /^[0-9]{1,9}$/.test(text) ? inRange(from, Number(text), to) : refuse(),
  );

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** NaN if the text is not a time. */
function milliseconds(text: string): number {
  const [, count, unit] = /^([0-9]{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  return Number(count) * units[unit as keyof typeof units];
}

/** A time in milliseconds. */
export const time = (from: string, to: string) =>
  parsed(`a time such as 500ms, 10s or 2m, from ${from} to ${to}`, (text) =>
    inRange(milliseconds(from), milliseconds(text), milliseconds(to)),
  );

/** A number of times per period; undefined for `off`. */
export const rate = parsed<Rate | undefined>(
  'off, or a number per period, such as 600/1m: 1 to 1000000 per 1s to 24h',
  (text) => {
    if (text === 'off') return undefined;
    const [, number, period = ''] = /^([0-9]{1,7})\/([0-9]{1,5}[smh])$/.exec(text) ?? [];
    const length = inRange(units.s, milliseconds(period), 24 * units.h);
    return { limit: inRange(1, Number(number), 1_000_000), seconds: length / units.s };
  },
);

/** The items of a list with commas or white space between them. */
const items = (list: string) => list.split(/[\s,]+/).filter(Boolean);

export const hosts = parsed<HostList>(
  'host names such as go.example.com or *.example.com, with commas between them',
  (list) => {
    const read = hostList(items(list));
    return 'notAHost' in read ? refuse() : read;
  },
);

/** Host names, in lower case. */
export const names = parsed<readonly string[]>(
  'host names such as mirrors.internal, with commas between them',
  (list) => {
    const isName = (text: string) => /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(text);
    return items(list.toLowerCase()).every(isName) ? items(list.toLowerCase()) : refuse();
  },
);

export const proxies = parsed(
  'IP addresses, or ranges such as 10.0.0.0/8 or fd00::/8, or loopback, with commas between them',
  (list) => trustedProxies(items(list)),
);

/** As a browser sends them. The origin of an extension is not one that the URL standard knows; Safari's is in upper case. */
export const origins = parsed<readonly string[]>(
  'origins as browsers write them, such as https://tools.example, http://localhost:8080 or chrome-extension://IDENTIFIER, with commas between them',
  (list) => {
    const extension = /^[a-z][a-z-]*-extension:\/\/[A-Za-z0-9-]+$/;
    // A URL may contain a star, but no origin that a browser sends does.
    const isOfWeb = (text: string) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
    const isOrigin = (text: string) => isOfWeb(text) || extension.test(text);
    return items(list).length > 0 && items(list).every(isOrigin) ? items(list) : refuse();
  },
);

/**
 * An @ after the host is not accepted: before it stands a password that was not encoded, of which parts would be shown. A
 * `%` that encodes nothing is not accepted either: it would make the parser encode the others again.
 */
export const databaseUrl = matching(
  'a URL such as postgres://user:password@host:5432/database, with one host, and what is special in it percent-encoded',
  /^postgres(?:ql)?:\/\/(?!.*%(?![\da-f]{2}))[^\s\p{Cc}/?#]*(?:[/?][^\s\p{Cc}@#]*)?$/iu,
);

/** One host only: the driver does not try a second one. */
export const databaseHost = matching(
  'one host name, IP address, or the folder of a socket',
  /^(?:\/[^\p{Cc},]*|[^\s\p{Cc},/]+)$/u,
);

/** https only: whoever could answer in the place of the issuer could make tokens. */
export const keySetUrl = parsed<URL>(
  'an https URL without a user, such as https://issuer.example/jwks.json; http on this machine only',
  (text) => {
    const url = /^https?:\/\/[^\s\p{Cc}@]+$/iu.test(text) ? URL.parse(text) : undefined;
    const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? '');
    return url && (url.protocol === 'https:' || isHere) ? url : refuse();
  },
);

/** A claim's name or value, without white space, because it is compared byte for byte. */
export const claimText = matching('text without white space', /^[^\s\p{Cc}]{1,256}$/u);
