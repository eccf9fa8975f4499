/**
 * Stryker runs the same files again and again in one process. What is mutated must not be loaded before it has chosen
 * the mutant: the import waits until the tests have run.
 */
export const mochaHooks: Mocha.RootHookObject = {
  async afterAll() {
    const { dropDatabases } = await import('../support/database/database-server.ts');
    await dropDatabases();
  },
};
