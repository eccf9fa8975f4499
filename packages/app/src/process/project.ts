import { readFileSync } from 'node:fs';

/** The name and version in the project's `package.json`. */
export function project(): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
}
