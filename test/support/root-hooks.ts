import { startDatabaseServer, stopDatabaseServer } from './database-server.ts';

/** One PostgreSQL a run; mocha runs the second hook even where tests or the first hook failed. */
export const mochaHooks = {
  beforeAll: startDatabaseServer,
  afterAll: stopDatabaseServer,
};

// A signal that merely ends the process would leave servers behind: `exit` tells those who started them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
