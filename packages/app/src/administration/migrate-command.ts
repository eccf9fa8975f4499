import { leaf } from '@campaign-mirror/adapters-cli';
import { type Call, exitCodes } from '@campaign-mirror/adapters-cli/terminal';

export function migrate(call: Call) {
  return leaf(
    'migrate',
    'bring the schema up to date and give the database roles their rights, as the owner of the schema',
    ['migrate', 'migrate --status'],
  )
    .option('--status', 'only show which migrations are applied or pending; exit code 1 if any is pending')
    .action(async ({ status, json }) => {
      const { migrateTelling, withDatabase, withPool } = await import('../operator/command-database.ts');
      if (!status) {
        await withDatabase(call, (access) => migrateTelling(access, call));
        return call.output.answer(json, { migrated: true }, 'The schema is up to date.');
      }
      const { migrationStates } = await import('@campaign-mirror/adapters-persistence/sql');
      const states = await withPool(call, 'operator', (pool) => migrationStates(pool, { times: true }));
      await call.output.list(states, {
        json,
        object: ({ name, state, appliedAt }) => ({ name, state, applied_at: appliedAt }),
        columns: [
          { head: 'migration', cell: ({ name }) => name },
          { head: 'state', cell: ({ state }) => state },
          { head: 'applied', cell: ({ appliedAt }) => appliedAt },
        ],
        none: '',
      });
      if (states.some(({ state }) => state === 'unknown'))
        call.output.tell('What is unknown was applied by a newer version: run that one.');
      if (!states.some(({ state }) => state === 'pending')) return;
      call.output.tell('Some are pending: run `./campaign-mirror migrate` as the owner of the schema.');
      call.exitCode = exitCodes.refused;
    });
}
