import type { Version } from '@campaign-mirror/adapters-http';
import { migrations } from '@campaign-mirror/adapters-persistence';
import { project } from './project.ts';

/** What runs here, as the project's `package.json` names it. */
export function version(): Version {
  const { name, version } = project();
  return { name, version, node: process.version, migration: migrations[migrations.length - 1]?.name ?? '-' };
}
