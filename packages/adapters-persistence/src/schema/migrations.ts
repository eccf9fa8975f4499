import { InitialMigration } from './initial-migration.ts';
import { migrationNames } from './migration-names.ts';

const classes = {
  '0001-mirrors-with-facts': InitialMigration,
} satisfies Record<(typeof migrationNames)[number], unknown>;

/** In the form that the migrator expects. */
export const migrations = migrationNames.map((name) => ({ name, class: classes[name] }));
