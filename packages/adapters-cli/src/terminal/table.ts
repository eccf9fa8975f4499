import { styleText } from 'node:util';
import Table from 'cli-table3';
import { printable } from './escapes.ts';

export type Field = readonly [name: string, value: string | number | null];

export interface Column<Row> {
  readonly head: string;
  readonly right?: boolean;
  cell(row: Row): string | number | null;
}

/** The fields of one object, one a line. */
export function fieldsText(rows: readonly Field[], coloured: boolean): string {
  const lines = layout();
  for (const [name, value] of rows) lines.push([emphasised(name, coloured), shown(value)]);
  return trimmed(lines);
}

export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  coloured: boolean,
): string {
  const lines = layout(columns.map(({ right }) => (right ? 'right' : 'left')));
  lines.push(columns.map(({ head }) => emphasised(head, coloured)));
  for (const row of rows) lines.push(columns.map(({ cell }) => shown(cell(row))));
  return trimmed(lines);
}

function shown(value: string | number | null): string {
  return value === null ? '-' : printable(String(value));
}

function layout(colAligns: ('left' | 'right')[] = []) {
  const lines = ['top', 'bottom', 'left', 'right', 'mid'].flatMap((side) => [
    side,
    ...['mid', 'left', 'right'].map((corner) => `${side}-${corner}`),
  ]);
  const chars = { ...Object.fromEntries(lines.map((name) => [name, ''])), middle: '  ' };
  return new Table({
    chars,
    colAligns,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
}

function trimmed(lines: InstanceType<typeof Table>): string {
  return lines.toString().replace(/[ \t]+$/gm, '');
}

function emphasised(text: string, coloured: boolean): string {
  return coloured ? styleText('bold', text, { validateStream: false }) : text;
}
