import type { Branded } from './branded.ts';
import { type HostDenylist, isDenied } from './host-denylist.ts';
import { parseUrl } from './url.ts';

/** An address that a mirror can point to (contract: the address). Kept exactly as it was sent. */
export type MirrorAddress = Branded<string, 'MirrorAddress'>;

/** Why a text is not a mirror address, in the order of the checks. */
export type AddressFault =
  | 'too-long'
  /** It does not begin with http:// or https://, and a host. */
  | 'not-http'
  /** A user or a password before the host. */
  | 'credentials'
  /** White space, a control character, half of a surrogate pair, or a backslash. */
  | 'forbidden-character'
  /** The parser of the URL standard rejects it, as for a host that none can have. */
  | 'not-a-url'
  | 'denied-host';

/** In Unicode code points. */
export const longestAddress = 2048;

/** The scheme, exactly two slashes, and the authority: up to the path, query or fragment (RFC 3986, section 3.2). */
const absolute = /^https?:\/\/([^/?#]+)/i;
/** White space, control characters, bidirectional controls, and the backslash, which parsers treat as a slash. */
const forbidden = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\\]/u;

/** Checks a text as a mirror address: returns the address, or what is wrong with it. */
export function mirrorAddress(text: string, denied: HostDenylist): MirrorAddress | { fault: AddressFault } {
  if (isLongerThan(text, longestAddress)) return { fault: 'too-long' };
  const authority = absolute.exec(text)?.[1];
  if (authority === undefined) return { fault: 'not-http' };
  if (authority.includes('@')) return { fault: 'credentials' };
  if (forbidden.test(text) || !text.isWellFormed()) return { fault: 'forbidden-character' };
  const parsed = parseUrl(text);
  if (!parsed) return { fault: 'not-a-url' };
  if (isDenied(denied, parsed.hostname)) return { fault: 'denied-host' };
  return text as MirrorAddress;
}

function isLongerThan(text: string, codePoints: number): boolean {
  // A code point takes one or two UTF-16 code units, so most texts need no counting.
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  return [...text].length > codePoints;
}
