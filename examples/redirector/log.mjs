const minute = 60_000;
/** @type {Map<string, number>} When each kind of trouble was last told, the oldest first. */
const told = new Map();

/**
 * Tells what is wrong on standard error, at most once a minute for each kind of trouble.
 * @param {string} kind begins the line @param {unknown} reason
 * @param {number} [most] of which there may be very many: left out after so many lines a minute
 */
export function complain(kind, reason, most = Number.POSITIVE_INFINITY) {
  const now = performance.now();
  for (const [oldest, at] of told) {
    if (at > now - minute) break;
    told.delete(oldest);
  }
  if (told.has(kind) || told.size >= most) return;
  told.set(kind, now);
  // Errors of several addresses of one host have no message.
  const { message, code } = /** @type {{ message?: string, code?: string }} */ (reason ?? {});
  console.error(`${kind}: ${message || code || reason}`);
}
