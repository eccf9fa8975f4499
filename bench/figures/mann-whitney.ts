/** Two samples beside each other, without a supposition about their distributions. */
export interface Comparison {
  /** The probability that one of the first is greater than one of the second; 0.5 where they do not differ. */
  readonly superiority: number;
  /** Two-sided, by the normal approximation with correction for ties; from 20 values in each sample on. */
  readonly p: number;
}

/** The test of Mann and Whitney (1947). */
export function mannWhitney(first: readonly number[], second: readonly number[]): Comparison {
  const sorted = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ].toSorted((one, other) => one.value - other.value);
  const [m, n, all] = [first.length, second.length, sorted.length];
  let ranks = 0;
  let ties = 0;
  for (let from = 0; from < all; ) {
    let to = from;
    while (to < all && sorted[to]?.value === sorted[from]?.value) to += 1;
    const equal = sorted.slice(from, to);
    // Equal values share the mean of their ranks, which are counted from 1.
    ranks += (equal.filter(({ isFirst }) => isFirst).length * (from + 1 + to)) / 2;
    ties += equal.length ** 3 - equal.length;
    from = to;
  }
  const u = ranks - (m * (m + 1)) / 2;
  const deviation = Math.sqrt(((m * n) / 12) * (all + 1 - ties / (all * (all - 1))));
  const z = deviation === 0 ? 0 : (u - (m * n) / 2) / deviation;
  return { superiority: u / (m * n), p: bothTails(Math.abs(z)) };
}

/** Of the normal distribution, by the continued fraction or the series of Abramowitz and Stegun 26.2. */
function bothTails(z: number): number {
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z > 3) {
    let fraction = z;
    for (let step = 100; step > 0; step--) fraction = z + step / fraction;
    return (2 * density) / fraction;
  }
  let term = z;
  let sum = z;
  for (let odd = 3; odd < 200; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 1 - 2 * density * sum;
}
