import type { Branded } from './branded.ts';
import { isPublicHost, longestHost } from './host.ts';
import { type HostDenylist, isDenied } from './host-denylist.ts';
import { parseUrl } from './url.ts';

/** An address that a mirror can point to (contract: the address). Kept exactly as it was sent. */
export type MirrorAddress = Branded<string, 'MirrorAddress'>;

/** Why a text is not a mirror address, in the order of the checks. */
export type AddressFault =
  | 'too-long'
  /** White space, a control or invisible character, half of a surrogate pair, or a backslash. */
  | 'forbidden-character'
  /** It does not begin with http:// or https://, and a host. */
  | 'not-http'
  /** A user or a password before the host. */
  | 'credentials'
  /** The parser of the URL standard rejects it, or its host can be none of the public web. */
  | 'not-a-url'
  | 'denied-host';

/** In Unicode code points. */
export const longestAddress = 2048;

/** The scheme, exactly two slashes, and the authority: up to the path, query or fragment (RFC 3986, section 3.2). */
const absolute = /^https?:\/\/([^/?#]+)/i;
/**
 * White space, control characters, bidirectional controls, characters that nobody sees and that the URL parser drops in
 * a host, and the backslash, which parsers treat as a slash.
 */
const forbidden =
  /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\u00AD\u180E\u200B\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\\]/u;
const port = /:[^:\]]*$/;

/** Checks a text as a mirror address: returns the address, or what is wrong with it. */
export function mirrorAddress(text: string, denied: HostDenylist): MirrorAddress | { fault: AddressFault } {
  if (isLongerThan(text, longestAddress)) return { fault: 'too-long' };
  if (forbidden.test(text) || !text.isWellFormed()) return { fault: 'forbidden-character' };
  const authority = absolute.exec(text)?.[1];
  if (authority === undefined) return { fault: 'not-http' };
  if (authority.includes('@')) return { fault: 'credentials' };
  // Before it is parsed: international names of any length would take milliseconds.
  if (authority.length > longestHost && isLongerThan(authority.replace(port, ''), longestHost))
    return { fault: 'not-a-url' };
  const parsed = parseUrl(text);
  if (!parsed || !isPublicHost(parsed.hostname)) return { fault: 'not-a-url' };
  if (isDenied(denied, parsed.hostname)) return { fault: 'denied-host' };
  return text as MirrorAddress;
}

function isLongerThan(text: string, codePoints: number): boolean {
  // A code point takes one or two UTF-16 code units, so most texts need no counting.
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  return [...text].length > codePoints;
}
