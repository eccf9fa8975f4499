import { AdministrationMigration } from './administration-migration.ts';
import { InitialMigration } from './initial-migration.ts';
import { RoomForUpdatesMigration } from './room-for-updates-migration.ts';

/** Every version of the schema, in order. What was once released is never changed. */
export const migrations = [
  { name: '0001-initial', class: InitialMigration },
  { name: '0002-administration', class: AdministrationMigration },
  { name: '0003-room-for-updates', class: RoomForUpdatesMigration },
] as const;
