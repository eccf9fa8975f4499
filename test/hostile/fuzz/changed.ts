import type { Random } from '../../history/workload/known.ts';

/** No input is longer, in bytes. */
const longest = 4_096;

type Change = (bytes: Buffer, random: Random, words: readonly Buffer[], other: Buffer) => Buffer;

const spliced = (bytes: Buffer, at: number, removed: number, put: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + removed)]);

const changes: readonly Change[] = [
  (bytes, random) => spliced(bytes, random.below(bytes.length + 1), 0, Buffer.from([random.below(256)])),
  (bytes, random) => spliced(bytes, random.below(bytes.length + 1), 1, Buffer.from([random.below(256)])),
  (bytes, random) => spliced(bytes, random.below(bytes.length + 1), 1 + random.below(8), Buffer.alloc(0)),
  (bytes, random, words) => spliced(bytes, random.below(bytes.length + 1), 0, random.one(words) ?? bytes),
  (bytes, random, words) => {
    const word = random.one(words) ?? bytes;
    return spliced(bytes, random.below(bytes.length + 1), word.length, word);
  },
  (bytes, random) => {
    const from = random.below(bytes.length + 1);
    return spliced(bytes, random.below(bytes.length + 1), 0, bytes.subarray(from, from + random.below(64)));
  },
  (bytes, random, _, other) => {
    const at = random.below(Math.min(bytes.length, other.length) + 1);
    return Buffer.concat([bytes.subarray(0, at), other.subarray(at)]);
  },
];

/** One to six changes of one of the inputs. */
export function changed(inputs: readonly Buffer[], words: readonly Buffer[], random: Random): Buffer {
  let bytes = random.one(inputs) ?? Buffer.alloc(0);
  for (let left = 1 + random.below(6); left > 0; left--) {
    const change = random.one(changes);
    if (change) bytes = change(bytes, random, words, random.one(inputs) ?? bytes);
  }
  return bytes.subarray(0, longest);
}
