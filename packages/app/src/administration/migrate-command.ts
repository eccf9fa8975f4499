import { leaf } from '@campaign-mirror/adapters-cli';
import type { Call } from '@campaign-mirror/adapters-cli/terminal';
import { migrationStatus } from './migration-status.ts';

export function migrate(call: Call) {
  return leaf({
    name: 'migrate',
    does: 'bring the schema up to date and give the database roles their rights, as the owner of the schema',
    examples: ['migrate', 'migrate --status'],
  })
    .option('--status', 'only show which migrations are applied or pending; exit code 1 if any is pending')
    .action(async ({ status, json }) => {
      if (status) return migrationStatus(call, json);
      call.hear();
      const { withDatabase } = await import('../operator/command-database.ts');
      const { migrateTelling } = await import('../operator/migrate-telling.ts');
      await withDatabase(call, ({ access }) => migrateTelling(access.address('owner'), call));
      await call.output.answer(json, { migrated: true }, 'The schema is up to date.');
    });
}
