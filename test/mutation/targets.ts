/** What is mutated, which tests are to notice it, and the score in percent below which the command fails. */
export interface Target {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  readonly bar: number;
}

export const targets: Readonly<Record<string, Target>> = {
  domain: {
    mutate: ['packages/domain/src/**/*.ts'],
    tests: ['test/domain/*.test.ts'],
    bar: 90,
  },
  'hot-path': {
    mutate: [
      'packages/adapters-persistence/src/hot-path/*.ts',
      'packages/adapters-persistence/src/statements/*.ts',
    ],
    // Without those of whole processes: a mutant that survives runs all that reach it.
    tests: [
      'test/mutation/hot-path-contracts.ts',
      ...['batches', 'chains', 'claims', 'faults', 'held', 'hot-path-observer'].map(
        (name) => `test/hot-path/${name}.test.ts`,
      ),
      ...['key-uses', 'lock-queue', 'look-ups', 'members', 'values'].map(
        (name) => `test/hot-path/${name}.test.ts`,
      ),
      ...['epoch-seconds', 'statements'].map((name) => `test/postgres/${name}.test.ts`),
    ],
    bar: 80,
  },
};
