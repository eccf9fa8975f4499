import { worldOf } from '../support/process/lives.ts';
import { everyCaseOn } from '../support/store/every-case.ts';
import { inMemoryStore } from '../support/store/in-memory-world.ts';

describe('the contracts of the ports, in memory', () => {
  const store = inMemoryStore();
  everyCaseOn(() => store);
});

for (const company of [undefined, 'in company', 'beside a chain'] as const) {
  describe(`the contracts of the ports, in PostgreSQL, ${company ?? 'alone'}`, () => {
    const world = worldOf('suite', company && { company });
    everyCaseOn(() => world);
  });
}
