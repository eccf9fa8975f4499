import { median, quantile } from 'd3-array';
import type { Measured } from '../measurements/rounds.ts';

export const middle = (rounds: readonly Measured[] = [], what: keyof Measured): number =>
  median(rounds, (one) => one[what]) ?? Number.NaN;

/** Of rates to those of the neighbouring rounds; NaN for pairs in which nobody was answered, which say nothing. */
export const ratiosOf = (rounds: readonly Measured[], others: readonly Measured[]): readonly number[] =>
  rounds.map(({ rate }, round) => rate / (others[round]?.rate ?? Number.NaN));

/** Such as `1.90 (1.81-1.97)`: the median and the quartiles, without NaN. */
export function spread(values: readonly number[], decimals: number): string {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((part) => number(quantile(values, part), decimals));
  return `${middle} (${low}-${high})`;
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
