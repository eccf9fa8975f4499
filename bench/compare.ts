import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { run } from './processes/run.ts';
import { compare, comparisonLine } from './stage/comparison.ts';

const line = comparisonLine(
  'bench:compare',
  'Measures what a setting, or a change of the code, costs: two services, one with it and one without.',
).option('--before <FOLDER>', 'runs the first one from another checkout of this project', (folder) =>
  resolve(folder),
);
const { set = {}, base = {}, before, ...more } = line.parse().opts();
if (before === undefined && isDeepStrictEqual(set, base))
  line.error('--set has to name another setting than --base, or --before another checkout', { exitCode: 2 });
await run((cleanup) => compare({ set, base, before, ...more }, cleanup));
