/** Cells under their headings, each to the right. */
export function columns(headings: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, at) =>
    Math.max(heading.length, ...lines.map((cells) => cells[at]?.length ?? 0)),
  );
  return [headings, ...lines]
    .map((cells) => cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  '))
    .join('\n');
}

export function number(value: number | undefined, decimals: number): string {
  return value === undefined || Number.isNaN(value) ? '-' : value.toFixed(decimals);
}
