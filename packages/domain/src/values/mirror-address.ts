import * as hosts from './hosts.ts';
import type { Branded } from './reader.ts';

/** A valid mirror address (contract: the address), exactly as it was sent. */
export type MirrorAddress = Branded<string, 'MirrorAddress'>;

/** In Unicode code points. */
const longestAddress = 2048;

/** Why a text is not a mirror address, in the order of the checks, in the words of the contract (answers, 422). */
export const addressFaults = {
  'too-long': `must not be greater than ${longestAddress} characters`,
  'forbidden-character': 'must not contain white space, backslashes or invisible characters',
  'not-http': 'must start with http:// or https://',
  credentials: 'must not contain a user name or a password',
  /** The host is missing, the URL parser refuses it, or no browser can reach the host or the port. */
  'not-a-url': 'must be a valid URL',
  'denied-host': 'must not point to this host',
  /** The host is not among those of the caller. */
  'host-not-of-key': 'must not point to this host',
} as const;
/** Why a text is not a mirror address. */
export type AddressFault = keyof typeof addressFaults;

/** The scheme, exactly two slashes, and the authority: up to the path, query or fragment (RFC 3986, section 3.2). */
const absolute = /^https?:\/\/([^/?#]*)/i;
const port = /:[^:\]]*$/;
/** Visible ASCII without the backslash, which parsers treat as a slash. Most addresses match. */
const plain = /^[!-[\]-~]*$/;
/** A joiner between letters or emoji, or a variation selector after one or in a keycap. */
const shaping =
  /(?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}])(?:[\u200C\u200D](?=[\p{L}\p{M}\p{Extended_Pictographic}])|\p{Variation_Selector})|(?<=[0-9#*])\uFE0F(?=\u20E3)/gu;
/** 0, and the bad ports of the Fetch standard (section 2.9, port blocking). */
const blockedPorts = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
  137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719
  1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/),
);

/**
 * Reads a mirror address, or returns its fault. `allowed`: the only hosts of the caller. Such a host must be written as
 * the parser writes it, so that every program reads the same host, and no macro such as `{x}` or `$x` is in it.
 */
export function mirrorAddress(
  text: string,
  denied: hosts.HostList,
  allowed?: hosts.HostList,
): MirrorAddress | { fault: AddressFault } {
  if (isLongerThan(text, longestAddress)) return { fault: 'too-long' };
  if (!plain.test(text) && hasForbiddenCharacter(text)) return { fault: 'forbidden-character' };
  const authority = absolute.exec(text)?.[1];
  if (authority === undefined) return { fault: 'not-http' };
  if (authority.includes('@')) return { fault: 'credentials' };
  // The parser would take the host of `https:///a.example/` from its path.
  if (authority === '') return { fault: 'not-a-url' };
  // Checked before parsing, which takes milliseconds for a long international name.
  if (authority.length > hosts.longestHost && isLongerThan(authority.replace(port, ''), hosts.longestHost))
    return { fault: 'not-a-url' };
  const parsed = hosts.parsedUrl(text);
  if (!parsed || !hosts.isPublicHost(parsed.hostname) || blockedPorts.has(parsed.port))
    return { fault: 'not-a-url' };
  const { hostname } = parsed;
  if (hosts.isListed(denied, hostname)) return { fault: 'denied-host' };
  if (allowed && !(isWrittenAs(hostname, authority.replace(port, '')) && hosts.isListed(allowed, hostname)))
    return { fault: 'host-not-of-key' };
  return text as MirrorAddress;
}

/** For literals and tests. @throws TypeError with the fault, but without the address */
mirrorAddress.of = (text: string, denied = hosts.noHosts): MirrorAddress => {
  const address = mirrorAddress(text, denied);
  if (typeof address === 'string') return address;
  throw new TypeError(`not an address of a mirror: it ${addressFaults[address.fault]}`);
};

/** Outside the host, joiners and variation selectors are allowed: Persian and Indian words and many emoji need them. */
function hasForbiddenCharacter(text: string): boolean {
  if (text.includes('\\')) return true;
  if (!hosts.invisible.test(text)) return false;
  const [start = ''] = absolute.exec(text) ?? [];
  return hosts.invisible.test(start) || hosts.invisible.test(text.slice(start.length).replace(shaping, ''));
}

function isLongerThan(text: string, codePoints: number): boolean {
  // A code point has one or two UTF-16 code units, so most texts need no counting.
  return text.length > codePoints && (text.length > 2 * codePoints || [...text].length > codePoints);
}

/** Case is ignored for ASCII only: the Kelvin sign in lower case is a k. */
const isWrittenAs = (hostname: string, written: string) =>
  hosts.plainHost.test(written) && written.toLowerCase() === hostname;
