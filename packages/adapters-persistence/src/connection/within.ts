/**
 * What `promise` resolves with, or `late` where that takes longer than so many milliseconds. No timer is left running.
 * Rejects as `promise` does; a fault that comes too late is the caller's to hear of.
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
