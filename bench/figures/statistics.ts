import { ascending, max, min } from 'd3-array';

/** Of pairs of neighbouring rounds. */
interface Ratio {
  readonly median: number;
  readonly least: number;
  readonly greatest: number;
  readonly quartiles: readonly [number, number];
}

export interface Rate {
  readonly rate: number;
}

/** Of rates to those of the neighbouring rounds; NaN where there are none. */
export function ratioOf(rounds: readonly Rate[], others: readonly Rate[]): Ratio {
  const sorted = ratiosOf(rounds, others).toSorted(ascending);
  // d3's own makes NaN of an infinite neighbour, whatever its weight is.
  const quantile = (part: number) => {
    const at = (sorted.length - 1) * part;
    const [low = Number.NaN, high = Number.NaN] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
    return low === high ? low : low + (high - low) * (at % 1);
  };
  const [least = Number.NaN, greatest = Number.NaN] = [min(sorted), max(sorted)];
  return { median: quantile(0.5), least, greatest, quartiles: [quantile(0.25), quantile(0.75)] };
}

/** Of neighbouring rounds, without the pairs in which nobody was answered: they tell nothing. */
export function ratiosOf(rounds: readonly Rate[], others: readonly Rate[]): readonly number[] {
  return rounds.flatMap(({ rate }, round) => {
    const other = others[round]?.rate ?? Number.NaN;
    return rate === 0 && other === 0 ? [] : [rate / other];
  });
}
