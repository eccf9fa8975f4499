import type { Version } from '@campaign-mirror/adapters-http';
import { migrations } from '@campaign-mirror/adapters-persistence';
import { project } from './project.ts';

/** The version in the project's `package.json`. */
export function version(): Version {
  const { name, version } = project();
  return { name, version, node: process.version, migration: migrations[migrations.length - 1]?.name ?? '-' };
}
