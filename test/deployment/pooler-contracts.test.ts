import type { Role } from '@campaign-mirror/adapters-persistence';
import { Statements } from '../../packages/adapters-persistence/src/statements/statements.ts';
import { databaseOf } from '../support/process/lives.ts';
import { everyCaseOn } from '../support/store/every-case.ts';
import type { World } from '../support/store/postgres-world.ts';
import { postgresWorld } from '../support/store/postgres-world.ts';
import { pgBouncer } from './pgbouncer.ts';

for (const company of [undefined, 'in company', 'beside a chain'] as const) {
  describe(`the contracts of the ports, behind PgBouncer in transaction mode, ${company ?? 'alone'}`, () => {
    let world: World;
    after(() => world?.close());
    const database = databaseOf('suite');
    before(async () => {
      const pooler = await pgBouncer([database]);
      const pooled = Object.create(database, {
        address: { value: (role: Role) => pooler.address(database, role) },
      });
      world = await postgresWorld(pooled, {
        ...(company && { company }),
        statementsOn: (pool) => new Statements(pool, { named: false }),
      });
    });
    everyCaseOn(() => world);
  });
}
