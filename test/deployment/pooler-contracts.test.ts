import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { freshDatabase, type TestDatabase } from '../support/database/database-server.ts';
import { PgBouncer } from '../support/deployment/pgbouncer.ts';
import { everyCaseOn } from '../support/store/every-case.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import type { World } from '../support/store/world.ts';

for (const company of [undefined, 'in company', 'beside a chain'] as const) {
  describe(`the contracts of the ports, behind PgBouncer in transaction mode, ${company ?? 'alone'}`, () => {
    let database: TestDatabase;
    let pooler: PgBouncer;
    let world: World;
    before(async () => {
      database = await freshDatabase();
      pooler = await PgBouncer.start([database]);
      const pooled: TestDatabase = { ...database, address: (role) => pooler.address(database, role) };
      world = await postgresWorld(pooled, {
        ...(company && { company }),
        statementsOn: (pool) => new Statements(pool, { named: false }),
      });
    });
    after(async () => {
      await world.close();
      await pooler.remove();
      await database.drop();
    });
    everyCaseOn(() => world);
  });
}
