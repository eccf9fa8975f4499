import { cpus, totalmem } from 'node:os';
import type { Cores } from './cores.ts';
import type { Measured } from './load.ts';
import { type LoadFigures, type Side, sides } from './rounds.ts';

/** What the figures were measured on. */
export function machine(
  server: string,
  cores: Cores | undefined,
  settings: Readonly<Record<string, string>>,
): string {
  const [first] = cpus();
  const memory = (totalmem() / 2 ** 30).toFixed(0);
  const model = first?.model && first.model !== 'unknown' ? ` (${first.model.trim()})` : '';
  const placed = cores
    ? `the service on core ${cores.service}; PostgreSQL, if it was brought up here, and the load generator on core ${cores.rest}`
    : 'no process is kept to a core of its own (that takes Linux, taskset and two cores)';
  const changed = Object.entries(settings).map(([name, value]) => ` ${name}=${value}`);
  const ours = `our service with ${changed.length > 0 ? `the settings${changed.join('')}` : 'its default settings'}`;
  return `${cpus().length} cores${model}, ${memory} GB, ${process.platform}, Node ${process.version}; ${server}\n${placed}\n${ours}`;
}

const columns: readonly string[] = [
  'connections',
  'service',
  'req/s',
  'ratio (min-max)',
  'p50 ms',
  'p99 ms',
  'CPU µs',
  'PostgreSQL µs',
  'generator µs',
  'MB',
];

/** A line for each service and load: medians over the rounds. */
export function table(loads: readonly LoadFigures[]): string {
  const lines = loads.flatMap((load) => sides.map((side) => line(load, side)));
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...lines.map((cells) => cells[at]?.length ?? 0)),
  );
  const formatted = [columns, ...lines].map((cells) =>
    cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  '),
  );
  return [...formatted, explained].join('\n');
}

const explained = `
req/s, latencies and CPU are medians of the rounds; CPU is user and system time a request.
ratio: ours to the floor, the median of the pairs of neighbouring rounds, and the least and greatest of them.
MB: resident memory of the service after the load. PostgreSQL's time can be told where it runs on this Linux machine.`;

function line({ connections, rounds, memory }: LoadFigures, side: Side): string[] {
  const of = (figure: (measured: Measured) => number | undefined, decimals = 0) =>
    number(median(rounds[side].map(figure)), decimals);
  return [
    String(connections),
    side,
    of(({ rate }) => rate),
    side === 'ours' ? ratio(rounds) : '',
    of(({ p50 }) => p50, 2),
    of(({ p99 }) => p99, 2),
    of(({ cpu }) => cpu.service),
    of(({ cpu }) => cpu.postgres),
    of(({ cpu }) => cpu.generator),
    number(memory[side], 0),
  ];
}

function ratio({ floor, ours }: LoadFigures['rounds']): string {
  const ratios = ours.map(({ rate }, round) => rate / (floor[round]?.rate ?? Number.NaN));
  const [least, greatest] = [Math.min(...ratios), Math.max(...ratios)];
  return `${number(median(ratios), 2)} (${least.toFixed(2)}-${greatest.toFixed(2)})`;
}

function number(value: number | undefined, decimals: number): string {
  return value === undefined ? '-' : value.toFixed(decimals);
}

/** Undefined when one of the values is. */
function median(values: readonly (number | undefined)[]): number | undefined {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  if (sorted.length < values.length || sorted.length === 0) return undefined;
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[sorted.length % 2 ? middle : middle - 1],
    sorted[middle],
  ];
  return (low + high) / 2;
}
