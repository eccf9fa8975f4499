import { AdministrationMigration } from './administration-migration.ts';
import { InitialMigration } from './initial-migration.ts';
import { migrationNames } from './migration-names.ts';
import { RoomForUpdatesMigration } from './room-for-updates-migration.ts';
import { SubjectsMigration } from './subjects-migration.ts';

const classes = {
  '0001-initial': InitialMigration,
  '0002-administration': AdministrationMigration,
  '0003-room-for-updates': RoomForUpdatesMigration,
  '0004-subjects': SubjectsMigration,
} satisfies Record<(typeof migrationNames)[number], unknown>;

/** In the form that the migrator expects. */
export const migrations = migrationNames.map((name) => ({ name, class: classes[name] }));
