// `npm run fuzz`: see its --help. Ends with 1 where a reader does what it must not do.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { Random } from '../../history/workload/known.ts';
import { randomNumbers } from '../../support/random-numbers.ts';
import { seed } from '../../support/seed.ts';
import { changed } from './changed.ts';
import { Coverage } from './coverage.ts';
import { corpusOf, keptFor, targets } from './targets.ts';

/** So many inputs between two looks at the coverage: a look takes as long as some of them. */
const together = 256;
/** In milliseconds: an input that takes longer is a finding. */
const tooLong = 1_000;

const minutesIn = (text: string) => {
  if (/^\d{1,3}(?:\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes a number of minutes.');
};
const options = new Command('npm run fuzz --')
  .description(
    'Gives a reader inputs that are changed at random, and keeps those that reach something new in test/hostile/corpus. ' +
      'SEED=… in the environment begins with the same choices.',
  )
  .addOption(
    new Option('--target <NAME>', 'which reader').choices(Object.keys(targets)).makeOptionMandatory(),
  )
  .option('--minutes <N>', 'how long', minutesIn, 10)
  .parse()
  .opts();

const target = targets[options.target];
if (!target) throw new Error('no target');
const { read } = target;
const folder = corpusOf(options.target);
mkdirSync(folder, { recursive: true });
const random = new Random(randomNumbers(seed));
const words = target.words.map((word) => Buffer.from(word));
const inputs = [
  ...target.seeds.map((text) => Buffer.from(text)),
  ...keptFor(options.target).map(([, bytes]) => bytes),
];
const coverage = await Coverage.begin();
const keep = (bytes: Buffer, kind: string) => {
  const path = join(folder, `${kind}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`);
  writeFileSync(path, bytes);
  return path;
};

/** Ends the run where the reader does what it must not do. */
async function tried(bytes: Buffer): Promise<void> {
  const begin = performance.now();
  try {
    await read(bytes);
    if (performance.now() - begin > tooLong) throw new Error(`it takes ${performance.now() - begin} ms`);
  } catch (error) {
    console.error(`FOUND, kept in ${keep(bytes, 'found')}\n${(error as Error).stack}`);
    process.exit(1);
  }
}

console.log(`${options.target}, SEED=${seed}, ${inputs.length} inputs to begin with`);
for (const bytes of inputs) await tried(bytes);
coverage.know(await coverage.fresh());
const end = performance.now() + options.minutes * 60_000;
let [runs, kept] = [0, 0];
while (performance.now() < end) {
  const batch = Array.from({ length: together }, () => changed(inputs, words, random));
  for (const bytes of batch) await tried(bytes);
  runs += batch.length;
  const fresh = await coverage.fresh();
  if (fresh.length === 0) continue;
  // Once more, one by one, to see which it was.
  for (const bytes of batch) {
    await tried(bytes);
    const blocks = await coverage.fresh();
    if (blocks.length === 0) continue;
    coverage.know(blocks);
    inputs.push(bytes);
    keep(bytes, 'reached');
    kept++;
  }
  // V8 cuts blocks otherwise where they were run often: what no input has alone is none's.
  coverage.know(fresh);
}
console.log(`${runs} inputs, ${coverage.blocks} blocks of our sources, ${kept} inputs kept`);
process.exit();
