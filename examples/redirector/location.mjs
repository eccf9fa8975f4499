import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';

const macro = '{click_id}';
/** The longest address that the service accepts, in Unicode code points. */
const longestAddress = 2_048;
/** In characters. The longest accepted address has emoji of 12 characters each; a visitor's value could exceed it. */
const longestLocation = 32_768;
const absolute = /^(https?:\/\/)([^/?#]+?)((?::[0-9]*)?)((?:[/?#].*)?)$/is;
/** What separates the labels of a host (UTS #46, section 4). */
const dots = /[.\u3002\uFF0E\uFF61]/;
const visible = /^[!-~]*$/;
/** A visitor's value that stays in its label. */
const safeInHost = /^[a-z0-9-]{1,63}$/i;

/**
 * The `Location` for an address: `{click_id}` filled in, everything else unchanged, also other macros. A header holds
 * ASCII only: other labels of the host are converted as in browsers, and the rest is percent-encoded. Never throws.
 * @param {string} address
 * @param {string} clickId the visitor's; a new one replaces it if the macro is in a host, which cannot contain it
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
  // A value can make an invalid host, such as half an IPv4 address, and a row can have one.
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
 * Before a macro is filled in: neither a visitor's value nor the name of another macro must be converted. A label with
 * a macro cannot be converted. The label `a` at the end keeps digits from becoming an IPv4 address.
 * @param {string} label
 */
function ascii(label) {
  if (/[\0- \x7F\\{}]/.test(label)) return undefined;
  // Before Unicode 15.1, as in Node 18 to 22, this capital letter became ss: another host.
  const name = label.replaceAll('\u1E9E', 'ß');
  const [, converted] = /^([^{}]+)\.a$/.exec(domainToASCII(`${name}.a`)) ?? [];
  return converted;
}

/** The visitor's `click_id`, if it has 1 to 200 characters; otherwise a new one. @param {string} query */
export function clickIdOf(query) {
  const clickId = new URLSearchParams(query).get('click_id');
  return clickId && clickId.length <= 200 ? clickId : randomUUID();
}
