import { migrationNames } from '@campaign-mirror/adapters-persistence/sql';
import { project } from './project.ts';

/** What `/version` answers: the version of the service, of Node, and the last migration that this version needs. */
export function version() {
  const { name, version } = project();
  return { name, version, node: process.version, migration: migrationNames.at(-1) ?? '-' };
}
