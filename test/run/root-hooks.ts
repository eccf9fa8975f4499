import {
  dropDatabases,
  startDatabaseServer,
  stopDatabaseServer,
} from '../support/database/database-server.ts';

/** One PostgreSQL a run, in its first process; mocha also stops it if tests failed. */
export const mochaGlobalSetup = startDatabaseServer;
export const mochaGlobalTeardown = stopDatabaseServer;

/** In each process that runs files: once a file if they run beside one another, otherwise once. */
export const mochaHooks: Mocha.RootHookObject = { afterAll: dropDatabases };

// A signal that merely ends the process would leave servers behind: on `exit`, whoever started them stops them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
// When the parent has gone, this process ends, and so do those that it started.
process.once('disconnect', () => process.exit(1));
