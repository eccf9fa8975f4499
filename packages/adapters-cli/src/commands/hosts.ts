import type { HostName } from '@campaign-mirror/domain';
import { hostNameOf } from '@campaign-mirror/domain/operator';

/** Whether the URL is on this host or, with `subdomains`, on a name below it. */
export function isOnHost(url: string, wanted: HostName, subdomains: boolean): boolean {
  const name = hostNameOf(url);
  return name === wanted || (subdomains && name?.endsWith(`.${wanted}`) === true);
}

/** All before the path, query or fragment. */
const start = /^https?:\/\/[^/?#]*/i;

/** Whether a part of the URL after its host names this one or one below it, as `?u=https%3A%2F%2Fold.example` does. */
export function namesHostElsewhere(url: string, wanted: HostName): boolean {
  const rest = decoded(url.replace(start, '')).toLowerCase();
  for (let at = rest.indexOf(wanted); at !== -1; at = rest.indexOf(wanted, at + 1)) {
    const before = rest.slice(0, at);
    const begins = !/[\p{L}\p{N}_-]$/u.test(before) || /%[\da-f]{2}$/.test(before);
    if (begins && !/^\.?[\p{L}\p{N}_-]/u.test(rest.slice(at + wanted.length))) return true;
  }
  // An international name can be there in its own letters.
  const names = wanted.includes('xn--') ? rest.match(/[\p{L}\p{M}\p{N}_.-]+/gu) : null;
  return names?.some((name) => isOnHost(`http://${name}/`, wanted, true)) ?? false;
}

/** Without percent-encoding, except of what is not UTF-8. */
function decoded(text: string): string {
  const once = text.replace(/%[0-7][\da-f]|%[c-f][\da-f](?:%[89ab][\da-f])+/gi, (bytes) => {
    try {
      return decodeURIComponent(bytes);
    } catch {
      return bytes;
    }
  });
  return once === text ? text : decoded(once);
}
