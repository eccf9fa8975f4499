/** Milliseconds. */
interface BackOffBounds {
  /** The pause before the first attempt; it doubles up to the longest. */
  readonly first: number;
  readonly longest: number;
  /** After running this long, the pauses start again with the first. */
  readonly healthy: number;
}

const usualBackOff: BackOffBounds = { first: 100, longest: 10_000, healthy: 60_000 };

/**
 * How long to wait before a failing start is repeated, in milliseconds. The function takes how long the last attempt
 * ran, in milliseconds.
 */
export function backOff({ first, longest, healthy } = usualBackOff): (lasted: number) => number {
  let attempts = 0;
  return (lasted) => {
    if (lasted >= healthy) attempts = 0;
    const pause = Math.min(first * 2 ** attempts, longest);
    attempts += 1;
    return pause;
  };
}
