/** Undefined when one of the values is, or there is none. */
export function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  if (sorted.length < values.length || sorted.length === 0) return undefined;
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[sorted.length % 2 ? middle : middle - 1],
    sorted[middle],
  ];
  return (low + high) / 2;
}

export interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
  /** The medians of the lower and of the upper half. */
  readonly quartiles: readonly [number, number];
}

export interface Rate {
  readonly rate: number;
}

/** Of rates to those of the neighbouring rounds: the median of the pairs, the least and greatest of them, and their quartiles. */
export function ratioOf(rounds: readonly Rate[], others: readonly Rate[]): Ratio {
  const ratios = ratiosOf(rounds, others);
  const sorted = ratios.toSorted((a, b) => a - b);
  const half = Math.ceil(sorted.length / 2);
  return {
    median: median(ratios) ?? Number.NaN,
    least: Math.min(...ratios),
    greatest: Math.max(...ratios),
    quartiles: [median(sorted.slice(0, half)) ?? Number.NaN, median(sorted.slice(-half)) ?? Number.NaN],
  };
}

/** Of neighbouring rounds, without the pairs in which nobody was answered: they tell nothing. */
export function ratiosOf(rounds: readonly Rate[], others: readonly Rate[]): readonly number[] {
  return rounds.flatMap(({ rate }, round) => {
    const other = others[round]?.rate ?? Number.NaN;
    return rate === 0 && other === 0 ? [] : [rate / other];
  });
}
