import { max, median, min } from 'd3-array';

/** Cells under their headings, each to the right. All rows have the headings of the first. */
export function table(rows: readonly Readonly<Record<string, string>>[]): string {
  const headings = Object.keys(rows[0] ?? {});
  const lines = [headings, ...rows.map((row) => headings.map((heading) => row[heading] ?? ''))];
  const widths = headings.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  return lines.map((cells) => cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  ')).join('\n');
}

export function number(value: number | undefined, decimals: number): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(decimals);
}

/** The median, the least and the greatest. */
export function range(values: readonly number[], decimals: number): string {
  const [middle, least, greatest] = [median(values), min(values), max(values)];
  return `${number(middle, decimals)} (${number(least, decimals)} to ${number(greatest, decimals)})`;
}
