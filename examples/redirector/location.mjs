import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';

const macro = '{click_id}';
/** The longest address that the service accepts, in Unicode code points. */
const longestAddress = 2_048;
/** In characters. The longest that the service accepts is of emoji, each 12 characters; a visitor could make it longer. */
const longestLocation = 32_768;
const absolute = /^(https?:\/\/)([^/?#]+?)((?::[0-9]*)?)((?:[/?#].*)?)$/is;
/** What separates the labels of a host (UTS #46, section 4). */
const dots = /[.\u3002\uFF0E\uFF61]/;
const visible = /^[!-~]*$/;
/** Whatever the visitor brings, it stays in its label. */
const safeInHost = /^[a-z0-9-]{1,63}$/i;

/**
 * The `Location` for an address: `{click_id}` filled in, everything else as it is, other macros included. A header holds
 * ASCII only: the labels of a host that are not are converted as browsers do it, and what comes after the host is
 * percent-encoded. Never throws, whatever text the address is.
 * @param {string} address
 * @param {string} clickId the visitor's; if the address has the macro in its host, and a host cannot contain this one, a
 *   new one takes its place, in the whole address
 * @returns {string | undefined} undefined if no browser could follow it, or this Node cannot convert its host
 */
export function location(address, clickId) {
  const [, scheme, host, port, rest = ''] = absolute.exec(address) ?? [];
  if (!scheme || !host) return undefined;
  if (address.length > longestAddress && [...address].length > longestAddress) return undefined;
  const id = host.includes(macro) && !safeInHost.test(clickId) ? randomUUID() : clickId;
  const fill = (/** @type {string} */ text) => text.replaceAll(macro, encodeURIComponent(id));
  const labels = host.split(dots).map((label) => (visible.test(label) ? fill(label) : ascii(label)));
  const filled = `${scheme}${labels.join('.')}${port}`;
  if (labels.includes(undefined) || filled.includes('\\')) return undefined;
  const url = filled + fill(rest).replace(/[^!-~]+/g, encodeURIComponent);
  // A value can make a host that no browser accepts, such as half an IPv4 address, and a row can have one.
  if (url.length > longestLocation || !canParse(url)) return undefined;
  return url;
}

/** @param {string} url */
function canParse(url) {
  try {
    return Boolean(new URL(url));
  } catch {
    return false;
  }
}

/**
 * Label by label and before a macro is filled in, so that neither a visitor's value nor another macro's name is converted.
 * Nobody can fill in a macro that was converted with its label. The last label keeps digits from being taken for an IPv4 address.
 * @param {string} label
 */
function ascii(label) {
  if (/[\0- \x7F\\{}]/.test(label)) return undefined;
  // Before Unicode 15.1, as in Node 18 to 22, the capital letter became ss: another host.
  const name = label.replaceAll('\u1E9E', 'ß');
  const [, converted] = /^([^{}]+)\.a$/.exec(domainToASCII(`${name}.a`)) ?? [];
  return converted;
}

/** The visitor's `click_id`, if it has 1 to 200 characters; otherwise a new one. @param {string} query */
export function clickIdOf(query) {
  const clickId = new URLSearchParams(query).get('click_id');
  return clickId && clickId.length <= 200 ? clickId : randomUUID();
}
