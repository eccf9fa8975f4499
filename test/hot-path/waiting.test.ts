import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { Batches } from '../../packages/adapters-persistence/src/hot-path/batches.ts';
import type {
  BatchStatement,
  Call,
  StatementRunner,
} from '../../packages/adapters-persistence/src/hot-path/run-statements.ts';

const never = 2 ** 30;
const turns = async () => {
  await turn();
  await turn();
};

describe('calls that wait for a batch', () => {
  let begun: string[][];
  let ends: (() => void)[];
  beforeEach(() => {
    begun = [];
    ends = [];
  });

  /** Answers each call with its name when the test ends the batch. */
  function batchesOf(maxSize: number): Batches<string, string> {
    const runBatch = async (_: unknown, batch: readonly Call<string, string>[]) => {
      begun.push(batch.map(({ wanted }) => wanted));
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.push(resolve);
      await promise;
      for (const call of batch) call.resolve(call.wanted);
    };
    const statement = { maxSize } as BatchStatement<string, string>;
    return new Batches({ runBatch } as unknown as StatementRunner, statement, never);
  }

  it('form a second batch when as many wait as the first has, and never a third', async () => {
    const batches = batchesOf(2);
    for (const [names, expected] of [
      ['ab', 1],
      ['c', 1],
      ['d', 2],
      ['efg', 2],
    ] as const) {
      for (const name of names) void batches.run(name);
      await turn();
      expect(begun).to.have.length(expected);
    }
    ends[1]?.();
    await turns();
    expect(begun).to.deep.equal([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
  });
});
