import { dropDatabases } from '../support/database/database-server.ts';

/** Stryker runs the same files again and again in one process. */
export const mochaHooks: Mocha.RootHookObject = { afterAll: dropDatabases };
