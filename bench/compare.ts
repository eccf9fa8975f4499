import { isDeepStrictEqual } from 'node:util';
import { run } from './processes/run.ts';
import { compare, comparisonLine } from './stage/comparison.ts';

const line = comparisonLine(
  'bench:compare',
  'Measures what a setting costs: the same service with it and without.',
);
const { set = {}, base = {}, ...more } = line.parse().opts();
if (isDeepStrictEqual(set, base))
  line.error('--set has to name another setting than --base', { exitCode: 2 });
await run((cleanup) => compare({ set, base, ...more }, cleanup));
