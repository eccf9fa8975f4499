import { isIPv4, isIPv6, SocketAddress } from 'node:net';

/** The address of a caller as a proxy reported it; undefined if it is not an address: `unknown`, `_hidden`, garbage. */
export type Hop = string | undefined;

/** No chain has more proxies than this; the elements before the last 32 are ignored. */
const maxElements = 32;

/** The addresses in the lines of `X-Forwarded-For`, the nearest first. */
export function inXForwardedFor(lines: readonly string[]): Hop[] {
  return nearest(lines, lastElements).map((element) => addressOf(element.trim()));
}

/** The addresses in the lines of `Forwarded` (RFC 7239), the nearest first. */
export function inForwarded(lines: readonly string[]): Hop[] {
  // Line by line: a quotation mark that a caller left open ends with its line.
  return nearest(lines, (line) => pieces(line, ',').slice(-maxElements).reverse()).map(forOf);
}

function nearest(lines: readonly string[], elementsOf: (line: string) => string[]): string[] {
  return lines.slice(-maxElements).reverse().flatMap(elementsOf).slice(0, maxElements);
}

/** The last elements of a list, in reverse order. */
function lastElements(line: string): string[] {
  const found: string[] = [];
  let end = line.length;
  while (found.length < maxElements) {
    const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
    found.push(line.slice(comma + 1, end));
    if (comma === -1) break;
    end = comma;
  }
  return found;
}

/** The text between the separators that are outside quotation marks. */
function pieces(text: string, separator: ',' | ';'): string[] {
  const found: string[] = [];
  let quoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (quoted && character === '\\') at++;
    else if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      found.push(text.slice(from, at));
      from = at + 1;
    }
  }
  found.push(text.slice(from));
  return found;
}

const forParameter = /^for=(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))$/i;

/** The address in the only `for` of an element (RFC 7239, section 4). */
function forOf(element: string): Hop {
  const parameters = pieces(element, ';').map((pair) => pair.trim());
  const named = parameters.filter((pair) => /^for=/i.test(pair));
  const [, quoted, token] = (named.length === 1 && forParameter.exec(named[0] ?? '')) || [];
  return addressOf(quoted?.replace(/\\(.)/g, '$1') ?? token ?? '');
}

/** An address, with or without brackets and port (RFC 7239, section 6). */
const node = /^(?:\[([\da-f:.]{2,45})\]|([\d.]{7,15}))(?::(?:\d{1,5}|_[\w.-]{1,64}))?$/i;

function addressOf(text: string): Hop {
  const [, ipv6, ipv4] = node.exec(text) ?? [];
  if (ipv4 !== undefined) return isIPv4(ipv4) ? ipv4 : undefined;
  const address = ipv6 ?? text;
  return isIPv6(address) && !address.includes('%') ? plainAddress(address) : undefined;
}

/** An IP address in canonical form; an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) as IPv4. */
export function plainAddress(address: string): string {
  if (!address.includes(':')) return address;
  const plain = new SocketAddress({ address, family: 'ipv6' }).address;
  return plain.startsWith('::ffff:') && plain.includes('.') ? plain.slice('::ffff:'.length) : plain;
}
