import { readFileSync } from 'node:fs';

/** What the project's `package.json` says of it. */
export function project(): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
}
