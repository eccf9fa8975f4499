/** What is mutated, which tests are to notice it, and the score in percent below which the command fails. */
export interface Target {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
  readonly bar: number;
}

export const targets: Readonly<Record<string, Target>> = {
  domain: {
    // Without the kit, which is no rule of ours but judges others.
    mutate: ['packages/domain/src/**/*.ts', '!packages/domain/src/*contracts/*.ts'],
    tests: ['test/domain/*.test.ts'],
    bar: 95,
  },
  'hot-path': {
    mutate: [
      'packages/adapters-persistence/src/{hot-path,statements}/*.ts',
      // For the commands of operators.
      '!packages/adapters-persistence/src/statements/campaign-record-row.ts',
    ],
    // Without those of whole processes: a mutant that survives runs all that reach it.
    tests: [
      'test/postgres/statements.test.ts',
      'test/contracts/port-contracts.test.ts',
      'test/hot-path/!(back-off|network|process|random|unreplicated).test.ts',
    ],
    bar: 80,
  },
  http: {
    mutate: ['packages/adapters-http/src/*/*.ts'],
    tests: ['test/routes/*.test.ts', 'test/listener/*.test.ts', 'test/documents/docs-page.test.ts'],
    bar: 80,
  },
};
