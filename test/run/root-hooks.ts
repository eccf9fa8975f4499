import {
  dropDatabases,
  startDatabaseServer,
  stopDatabaseServer,
} from '../support/database/database-server.ts';

/** The first process of a run starts PostgreSQL, and stops it even if tests fail. */
export const mochaGlobalSetup = startDatabaseServer;
export const mochaGlobalTeardown = stopDatabaseServer;

/** In a parallel run, after each file. */
export const mochaHooks: Mocha.RootHookObject = { afterAll: dropDatabases };

// Servers are stopped on `exit`, which a signal alone would skip.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
// The parent process has ended.
process.once('disconnect', () => process.exit(1));
