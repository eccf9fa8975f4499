import { readFile, writeFile } from 'node:fs/promises';
import type { LoadFigures } from '../stage/rounds.ts';
import { type Ratio, ratioOf } from './statistics.ts';

/*
 * The ratios to the floor as bars, a whisker from the least to the greatest pair of rounds: `node plot.ts FIGURES.json
 * PLOT.svg`. Its colours are middle ones, so that it can be read on white and on black.
 */

const bar = { height: 18, gap: 6, group: 14 };
const width = 720;
const left = 240;
const right = 80;
const colours: Readonly<Record<string, string>> = { ours: '#2f8f5b', others: '#8a8f98' };
const grey = '#808080';

interface Bar {
  readonly load: string;
  readonly name: string;
  readonly ratio: Ratio;
}

export function plot(loads: readonly LoadFigures[]): string {
  const groups = loads.map(({ load, rounds }) =>
    Object.keys(rounds)
      .filter((name) => name !== 'floor')
      .map((name) => ({ load: load.name, name, ratio: ratioOf(rounds[name] ?? [], rounds.floor ?? []) })),
  );
  const most = Math.max(1, ...groups.flat().map(({ ratio }) => ratio.greatest));
  const scale = (width - left - right) / most;
  const parts: string[] = [];
  let top = 34;
  for (const group of groups) {
    for (const one of group) {
      parts.push(drawn(one, top, scale));
      top += bar.height + bar.gap;
    }
    top += bar.group;
  }
  const floorAt = left + scale;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top + 4}" role="img"
  font-family="system-ui, sans-serif" font-size="13" fill="${grey}">
<title>Requests a second, as a ratio to the floor</title>
${parts.join('\n')}
<line x1="${at(floorAt)}" x2="${at(floorAt)}" y1="24" y2="${top - bar.group}" stroke="${grey}" stroke-dasharray="4 3"/>
<text x="${at(floorAt)}" y="18" text-anchor="middle">floor = 1</text>
</svg>
`;
}

function drawn({ load, name, ratio }: Bar, top: number, scale: number): string {
  const middle = top + bar.height / 2;
  const text = `y="${middle}" dominant-baseline="central"`;
  const end = (value: number) => at(left + value * scale);
  const colour = colours[name] ?? colours.others;
  return `<text x="${left - 10}" ${text} text-anchor="end">${loadName(load)}: ${name}</text>
<rect x="${left}" y="${top}" width="${at(ratio.median * scale)}" height="${bar.height}" rx="2" fill="${colour}" fill-opacity="0.5"/>
<line x1="${end(ratio.least)}" x2="${end(ratio.greatest)}" y1="${middle}" y2="${middle}" stroke="${colour}" stroke-width="3"/>
<text x="${at(left + ratio.greatest * scale + 8)}" ${text}>${ratio.median.toFixed(2)}</text>`;
}

function loadName(load: string): string {
  return /^[0-9]+$/.test(load) ? `${load} connection${load === '1' ? '' : 's'}` : load;
}

function at(value: number): string {
  return value.toFixed(1);
}

if (import.meta.main) {
  const [figures = '', picture = ''] = process.argv.slice(2);
  await writeFile(picture, plot(JSON.parse(await readFile(figures, 'utf8')).loads));
}
