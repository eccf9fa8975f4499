/**
 * What `promise` resolves with, or `late` after this many milliseconds. No timer is left running. Rejects as `promise`
 * does; the caller has to handle a rejection that comes too late.
 */
export async function within<T, Late = undefined>(
  milliseconds: number,
  promise: Promise<T>,
  late?: Late,
): Promise<T | Late> {
  const { promise: over, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(() => resolve(late as Late), milliseconds);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}
