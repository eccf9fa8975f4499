/**
 * Limits how often a frequent event is reported, to one report in `between` milliseconds. The report receives how often
 * this happened since the last one, without this time.
 */
export function throttled(between: number): (tell: (untold: number) => void) => void {
  let untold = 0;
  let writtenAt = Number.NEGATIVE_INFINITY;
  return (tell) => {
    const now = performance.now();
    if (now - writtenAt < between) {
      untold += 1;
      return;
    }
    writtenAt = now;
    const before = untold;
    untold = 0;
    tell(before);
  };
}
