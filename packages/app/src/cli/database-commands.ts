import { config } from './config-command.ts';
import { doctor } from './doctor-command.ts';
import { Interruption } from './interruption.ts';
import { leaf } from './leaf.ts';
import { migrationStatus } from './migration-status.ts';
import { answer } from './output.ts';

export function databaseCommands() {
  return [migrate(), doctor(), config()];
}

function migrate() {
  return leaf({
    name: 'migrate',
    does: 'bring the schema up to date and give the database roles their rights, as the owner of the schema',
    examples: ['migrate', 'migrate --status'],
  })
    .option(
      '--status',
      'only tell what is applied and what is pending; the exit code is 1 where something is',
    )
    .action(async ({ status, json }) => {
      if (status) return migrationStatus(json);
      const { withDatabase } = await import('./command-database.ts');
      const { migrateTelling } = await import('./migrate-telling.ts');
      const interruption = new Interruption();
      await withDatabase(interruption, ({ access }) => migrateTelling(access.address('owner'), interruption));
      await answer(json, { migrated: true }, 'The schema is up to date.');
    });
}
