import { InitialMigration } from './initial-migration.ts';
import { migrationNames } from './migration-names.ts';
import { RecentMovesMigration } from './recent-moves-migration.ts';

const classes = {
  '0001-schema': InitialMigration,
  '0002-recent-moves': RecentMovesMigration,
} satisfies Record<(typeof migrationNames)[number], unknown>;

/** In the form that the migrator expects. */
export const migrations = migrationNames.map((name) => ({ name, class: classes[name] }));
