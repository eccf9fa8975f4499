import type { Version } from '@campaign-mirror/adapters-http';
import { migrationNames } from '@campaign-mirror/adapters-persistence/sql';
import { project } from './project.ts';

/** What `/version` answers: the version of the service, of Node and of the schema. */
export function version(): Version {
  const { name, version } = project();
  return { name, version, node: process.version, migration: migrationNames.at(-1) ?? '-' };
}
