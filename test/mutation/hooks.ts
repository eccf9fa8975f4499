/**
 * Stryker runs the same files again and again in one process. Mutated code must not be loaded before Stryker has chosen
 * the mutant, so the import waits until the tests have run.
 */
export const mochaHooks: Mocha.RootHookObject = {
  beforeEach(this: Mocha.Context) {
    // A mutant that hangs fails its test. Stryker would wait as long as all tests take, and start a new process.
    this.currentTest?.timeout(5_000);
  },
  async afterAll() {
    const { dropDatabases } = await import('../support/database/database-server.ts');
    await dropDatabases();
  },
};
