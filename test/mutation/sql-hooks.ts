import { dropDatabases, dropTemplate, makeTemplate } from '../support/database/database-server.ts';

/** How a run ends whose mutant PostgreSQL does not accept. */
export const notAccepted = 77;

export async function mochaGlobalSetup() {
  await makeTemplate().catch((fault: Error) => {
    console.error(fault.message);
    process.exit(notAccepted);
  });
}
export const mochaHooks: Mocha.RootHookObject = { afterAll: dropDatabases };
export const mochaGlobalTeardown = dropTemplate;
