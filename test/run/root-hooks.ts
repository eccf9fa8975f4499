import {
  dropDatabases,
  startDatabaseServer,
  stopDatabaseServer,
} from '../support/database/database-server.ts';

/** One PostgreSQL a run, in its first process; mocha stops it where tests failed, too. */
export const mochaGlobalSetup = startDatabaseServer;
export const mochaGlobalTeardown = stopDatabaseServer;

/** In each process that runs files: once a file where they run beside one another, else once. */
export const mochaHooks: Mocha.RootHookObject = { afterAll: dropDatabases };

// A signal that merely ends the process would leave servers behind: `exit` tells those who started them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
// Its end tells those that it started in turn.
process.once('disconnect', () => process.exit(1));
