import { ascending, max, median, min, quantileSorted, sum } from 'd3-array';

export interface Rate {
  readonly rate: number;
}

/** Of rates to those of the neighbouring rounds. Pairs in which nobody was answered tell nothing, and are left out. */
export function ratiosOf(rounds: readonly Rate[], others: readonly Rate[]): readonly number[] {
  const ratios = rounds.map(({ rate }, round) => rate / (others[round]?.rate ?? Number.NaN));
  return ratios.filter((ratio) => !Number.isNaN(ratio)).toSorted(ascending);
}

/** By so many more rounds on one side of the bar than on the other it is clear which side is the right one. */
const clearLead = 8;

interface Verdict {
  readonly ratio: number;
  /** More rounds would not change it. */
  readonly clear: boolean;
}

/**
 * The median of the pairs of neighbouring rounds where it is clear on which side of the bar they lie; else the sum of
 * all rounds to that of the others. A machine that is taken away for seconds at a time scatters the pairs from 0.1 to 7,
 * and harms a sum least.
 */
export function verdictOf(rounds: readonly Rate[], others: readonly Rate[], bar: number): Verdict {
  const ratios = ratiosOf(rounds, others);
  const lead = sum(ratios, (ratio) => (ratio >= bar ? 1 : -1));
  const clear = Math.abs(lead) >= clearLead;
  const total = (all: readonly Rate[]) => sum(all, ({ rate }) => rate);
  return { ratio: clear ? (median(ratios) ?? Number.NaN) : total(rounds) / total(others), clear };
}

/** Such as `1.90 (1.81-1.97)`: the median, and the quartiles or, with `all`, the least and the greatest. */
export function spread(
  values: readonly number[],
  decimals: number,
  which: 'quartiles' | 'all' = 'quartiles',
) {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted(ascending);
  const [low, high] =
    which === 'all'
      ? [min(sorted), max(sorted)]
      : [quantileSorted(sorted, 0.25), quantileSorted(sorted, 0.75)];
  return sorted.length === 0
    ? ''
    : `${number(median(sorted), decimals)} (${number(low, decimals)}-${number(high, decimals)})`;
}

export function number(value: number | undefined, decimals: number): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(decimals);
}

/** Cells under their headings, each to the right. All rows have the headings of the first. */
export function table(rows: readonly Readonly<Record<string, string>>[]): string {
  const headings = Object.keys(rows[0] ?? {});
  const lines = [headings, ...rows.map((row) => headings.map((heading) => row[heading] ?? ''))];
  const widths = headings.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines.map((cells) => cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')).join('\n');
}
