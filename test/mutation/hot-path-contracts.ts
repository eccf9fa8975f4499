import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { everyCaseOn } from '../support/store/every-case.ts';
import { type Company, postgresWorld } from '../support/store/postgres-world.ts';
import type { World } from '../support/store/world.ts';

/** What `test/contracts` runs, without the ports that are not on the hot path. */
for (const company of [undefined, 'in company', 'beside a chain'] satisfies (Company | undefined)[]) {
  describe(`the contracts of the hot path's ports, ${company ?? 'alone'}`, () => {
    let database: TestDatabase;
    let world: World;
    before(async () => {
      database = await freshDatabase();
      world = await postgresWorld(database, company && { company });
    });
    after(async () => {
      await world.close();
      await database.drop();
    });
    everyCaseOn(() => world);
  });
}
