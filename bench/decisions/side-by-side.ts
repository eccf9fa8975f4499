import { range, table } from '../figures/table.ts';
import { inTurn } from '../stage/rounds.ts';

/** What a process has measured, by the headings of its columns. */
export type Figures = Readonly<Record<string, number>>;

/** Measures all in turn, so many times: a row for each, with the median of each figure, the least and the greatest. */
export async function sideBySide(
  names: readonly string[],
  rounds: number,
  measure: (name: string) => Promise<Figures>,
): Promise<string> {
  const all = names.map((name) => ({ name, measured: [] as Figures[] }));
  for (let round = 1; round <= rounds; round++)
    for (const { name, measured } of inTurn(all, round)) measured.push(await measure(name));
  const rows = all.map(({ name, measured }) => {
    const cells = Object.keys(measured[0] ?? {}).map((heading) => {
      const values = measured.map((figures) => figures[heading] ?? Number.NaN);
      return [heading, range(values, heading.endsWith('µs') ? 1 : 0)];
    });
    return { what: name, ...Object.fromEntries(cells) };
  });
  return table(rows);
}
