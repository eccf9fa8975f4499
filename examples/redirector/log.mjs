const minute = 60_000;
/** @type {Map<string, number>} When each kind of trouble was last logged, the oldest first. */
const logged = new Map();

/**
 * Logs trouble on standard error, at most once a minute for each kind.
 * @param {string} kind begins the line @param {unknown} reason
 * @param {number} [most] the highest number of lines a minute
 */
export function complain(kind, reason, most = Number.POSITIVE_INFINITY) {
  const now = performance.now();
  for (const [oldest, at] of logged) {
    if (at > now - minute) break;
    logged.delete(oldest);
  }
  if (logged.has(kind) || logged.size >= most) return;
  logged.set(kind, now);
  // Errors of several addresses of one host have no message.
  const { message, code } = /** @type {{ message?: string, code?: string }} */ (reason ?? {});
  console.error(`${kind}: ${message || code || reason}`);
}
