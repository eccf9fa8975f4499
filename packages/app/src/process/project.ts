import { readFileSync } from 'node:fs';

/** The name of the project, and the version in the package's `package.json`, which is that of all packages. */
export function project(): { readonly name: string; readonly version: string } {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return { name: 'campaign-mirror', version };
}

/** What `/version` answers: the version of the service, of Node, and the last migration that this version needs. */
export type Version = Readonly<Record<'name' | 'version' | 'node' | 'migration', string>>;
