import { startDatabaseServer, stopDatabaseServer } from './database-server.ts';

/** One PostgreSQL a run; mocha runs the second hook even where tests or the first hook failed. */
export const mochaHooks = {
  beforeAll: startDatabaseServer,
  afterAll: stopDatabaseServer,
};
