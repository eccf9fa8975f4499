import { readFileSync } from 'node:fs';
import type { Version } from '@campaign-mirror/adapters-http';
import { migrations } from '@campaign-mirror/adapters-persistence';

/** What runs here, as the project's `package.json` names it. */
export function version(): Version {
  const file = new URL('../../../../package.json', import.meta.url);
  const { name, version } = JSON.parse(readFileSync(file, 'utf8'));
  return { name, version, node: process.version, migration: migrations[migrations.length - 1]?.name ?? '-' };
}
