import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { everyCaseOn } from '../support/store/every-case.ts';
import { inMemoryStore } from '../support/store/in-memory-world.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import type { World } from '../support/store/world.ts';

describe('the contracts of the ports, in memory', () => {
  const store = inMemoryStore();
  everyCaseOn(() => store);
});

for (const company of [undefined, 'in company', 'beside a chain'] as const) {
  describe(`the contracts of the ports, in PostgreSQL, ${company ?? 'alone'}`, () => {
    let database: TestDatabase;
    let world: World;
    before(async () => {
      database = await freshDatabase();
      // Sessions as other people set them up: what leaves the database is UTC in ISO 8601 all the same.
      await database.admin.query(`alter database ${database.name} set timezone = 'America/St_Johns'`);
      await database.admin.query(`alter database ${database.name} set datestyle = 'SQL, DMY'`);
      world = await postgresWorld(database, company && { company });
    });
    after(async () => {
      await world.close();
      await database.drop();
    });
    everyCaseOn(() => world);
  });
}
