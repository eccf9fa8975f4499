/** Resolves as `promise` does, or with `late` after this many milliseconds. A later rejection is ignored. */
export async function withTimeLimit<T, Late = undefined>(
  milliseconds: number,
  promise: Promise<T>,
  late?: Late,
): Promise<T | Late> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Late>();
  const timer = setTimeout(() => resolve(late as Late), milliseconds);
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
