import { keptFor, targets } from './fuzz/targets.ts';

/** `npm run fuzz` keeps an input for each block that it was the first to reach, and for each fault that it found. */
describe('readers of what others send: every input that was kept', () => {
  for (const [name, { seeds, read }] of Object.entries(targets)) {
    const all = [
      ...seeds.map((text, at): [string, Buffer] => [`seed ${at}`, Buffer.from(text)]),
      ...keptFor(name),
    ];
    it(`${name}: ${all.length} inputs`, async () => {
      for (const [input, bytes] of all)
        try {
          await read(bytes);
        } catch (error) {
          throw new Error(`${input}: ${(error as Error).message}`, { cause: error });
        }
    });
  }
});
